#include "ior.hpp"

int main(int argc, char** argv) {
  return banzuke::run_program("ior", BANZUKE_BACKEND, banzuke::ior::measure, argc, argv);
}
