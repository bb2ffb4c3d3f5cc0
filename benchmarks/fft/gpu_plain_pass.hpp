// The same pass for any length with no prime factors other than 2, 3 and 5: one transform per block.
// NOLINTBEGIN(modernize-avoid-c-arrays)
#pragma once

#include <utility>

#include "gpu_pass.hpp"

namespace banzuke::fft {

struct PlainPass {
  static constexpr int threads = 128;
  static constexpr int most_stages = 10;  // 2^10 is the longest
  struct Shared {
    Number numbers[2][longest_pass];
  };

  int length = 1;
  int stages = 0;
  int radices[most_stages] = {};
  bool turned = false;
  Layout in_layout, out_layout;
  std::int64_t columns = 1;
  gpu::Elements<const Number> in;
  gpu::Elements<Number> out;
  gpu::Elements<const Number> factors;
  RootTables roots;

  BANZUKE_GPU void operator()(const gpu::Block<threads>& block, Shared& shared) const {
    const std::int64_t c = block.index() % columns;
    const std::int64_t o = block.index() / columns;
    const std::int64_t from = in_layout.base + o * in_layout.outer + c * in_layout.column;
    const std::int64_t to = out_layout.base + o * out_layout.outer + c * out_layout.column;
    block.each([&](int thread) {
      for (int j = thread; j < length; j += threads) shared.numbers[0][j] = read(in[from + j * in_layout.step]);
    });
    int done = 1;
    for (int s = 0; s < stages; ++s) {
      const Number* x = shared.numbers[s % 2];
      Number* y = shared.numbers[1 - s % 2];
      block.each([&](int thread) {
        for (int j = thread; j < length / radices[s]; j += threads) butterfly(radices[s], done, j, x, y);
      });
      done *= radices[s];
    }
    block.each([&](int thread) {
      for (int k = thread; k < length; k += threads) {
        const Number x = shared.numbers[stages % 2][k];
        out[to + k * out_layout.step] = turned ? x * roots(c * k) : x;
      }
    });
  }

 private:
  BANZUKE_GPU void butterfly(int radix, int done, int j, const Number* x, Number* y) const {
    if (radix == 2) butterfly<2>(done, j, x, y);
    if (radix == 3) butterfly<3>(done, j, x, y);
    if (radix == 4) butterfly<4>(done, j, x, y);
    if (radix == 5) butterfly<5>(done, j, x, y);
  }

  template <int radix>
  BANZUKE_GPU void butterfly(int done, int j, const Number* x, Number* y) const {
    Number own[radix];
    BANZUKE_UNROLL
    for (int q = 0; q < radix; ++q) own[q] = x[j + q * (length / radix)];
    BANZUKE_UNROLL
    for (int q = 1; q < radix; ++q) {
      if (done > 1) own[q] = own[q] * factors[done - radices[0] + (q - 1) * done + j % done];
    }
    Butterfly<radix>::run(own);
    BANZUKE_UNROLL
    for (int p = 0; p < radix; ++p) y[j / done * (done * radix) + j % done + p * done] = own[p];
  }
};

}  // namespace banzuke::fft
// NOLINTEND(modernize-avoid-c-arrays)
