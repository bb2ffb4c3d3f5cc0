#include "mdtest.hpp"

int main(int argc, char** argv) { return banzuke::run_program("mdtest", banzuke::mdtest::measure, argc, argv); }
