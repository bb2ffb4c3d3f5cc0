#include "transfer.hpp"

int main(int argc, char** argv) { return banzuke::run_program("transfer", banzuke::transfer::measure, argc, argv); }
