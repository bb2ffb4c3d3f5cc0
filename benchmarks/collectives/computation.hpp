// The computation that overlaps a non-blocking operation.
#pragma once

#include <array>
#include <cstddef>

#include "core/clock.hpp"

namespace banzuke::collectives {

// Whole blocks of 625 multiply-adds, as in OSU's benchmark, until they have taken the requested time, but at least one.
// The clock is read around each block, and only blocks count.
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

  // Not inlined, so that the compiler cannot see that the result is unused.
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
