#include "transfer.hpp"

int main(int argc, char** argv) {
  return banzuke::run_program("transfer", BANZUKE_BACKEND, banzuke::transfer::measure, argc, argv);
}
