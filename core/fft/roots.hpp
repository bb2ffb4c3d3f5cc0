// exp(-2 pi i m / n) for all m from tables of about sqrt(n) numbers: a product of two entries, each rounded once.
#pragma once

#include <cstdint>
#include <vector>

#include "core/fft/kernels.hpp"

namespace banzuke::fft {

// Rounded once: computed in a wider type.
Complex root(std::int64_t m, std::int64_t n);

class Roots {
 public:
  explicit Roots(std::int64_t n);

  // 0 <= m < n
  Complex operator()(std::int64_t m) const {
    const Complex a = coarse_[static_cast<std::size_t>(m >> shift_)];
    const Complex b = fine_[static_cast<std::size_t>(m & mask_)];
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }

 private:
  int shift_ = 0;
  std::int64_t mask_ = 0;
  std::vector<Complex> coarse_;
  std::vector<Complex> fine_;
};

}  // namespace banzuke::fft
