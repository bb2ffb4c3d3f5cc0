#include "pt2pt.hpp"

int main(int argc, char** argv) { return banzuke::run_program("pt2pt", banzuke::pt2pt::measure, argc, argv); }
