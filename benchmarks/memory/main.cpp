#include "memory.hpp"

int main(int argc, char** argv) { return banzuke::run_program("memory", banzuke::memory::measure, argc, argv); }
