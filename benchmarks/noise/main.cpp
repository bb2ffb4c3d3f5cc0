#include "noise.hpp"

int main(int argc, char** argv) { return banzuke::run_program("noise", banzuke::noise::measure, argc, argv); }
