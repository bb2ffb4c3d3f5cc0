// What a rank computes while a non-blocking operation is under way.
#pragma once

#include <array>
#include <cstddef>

#include "core/clock.hpp"

namespace banzuke::collectives {

// Whole blocks of 625 multiply-adds, as OSU's, until they have taken the time wanted; a message of less than a block's
// time has one block. The clock is read about each block, and only blocks count.
class Computation {
 public:
  Computation() {
    for (auto& row : matrix_) row.fill(2.0F);
    x_.fill(1.0F);
    y_.fill(1.0F);
  }

  void run(double seconds) {
    for (double spent = 0.0; spent < seconds;) {
      const double start = now();
      block();
      spent += now() - start;
    }
  }

 private:
  static constexpr std::size_t extent = 25;

  // Out of line, so that its result cannot be found to be unused.
  [[gnu::noinline]] void block() {
    for (std::size_t i = 0; i < extent; ++i) {
      for (std::size_t j = 0; j < extent; ++j) x_[i] += matrix_[i][j] * matrix_[j][i] + y_[j];
    }
    asm volatile("" : : "r"(x_.data()) : "memory");
  }

  std::array<std::array<float, extent>, extent> matrix_{};
  std::array<float, extent> x_{};
  std::array<float, extent> y_{};
};

}  // namespace banzuke::collectives
