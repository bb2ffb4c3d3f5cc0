#include "ior.hpp"

int main(int argc, char** argv) { return banzuke::run_program("ior", banzuke::ior::measure, argc, argv); }
