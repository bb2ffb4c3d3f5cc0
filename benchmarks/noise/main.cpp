#include "noise.hpp"

int main(int argc, char** argv) {
  return banzuke::run_program("noise", BANZUKE_BACKEND, banzuke::noise::measure, argc, argv);
}
