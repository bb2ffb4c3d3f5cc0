// The loops of eight transforms at once for one instruction set; kernels_*.cpp are compiled for theirs, and the program
// takes the widest that the processor runs. Included where wider instructions are allowed, so nothing here may bring a
// function that the linker could share with the rest of the program.
// NOLINTBEGIN(modernize-avoid-c-arrays)
#pragma once

#include <cstdint>

namespace banzuke::fft {

// Transforms that are done together: one in each lane.
inline constexpr int lanes = 8;

// One element of each of them.
struct alignas(64) Lanes {
  double re[lanes];
  double im[lanes];
};

struct Complex {
  double re;
  double im;
};

// Butterflies of `radix` elements that are `distance` apart, in each block of radix * distance elements.
struct Stage {
  int radix;
  std::int64_t distance;
  const Complex* factors;  // [j][p - 1]: of output p of the butterfly at element j of a block
};

// Factors of rows 0, 1, 2 ... of a block of so many, for each lane.
inline constexpr int fine_factors = 64;

struct Kernels {
  const char* name;
  // All stages on the first one's block. The outputs are left in the order of their reversed digits.
  void (*transform)(const Stage* stages, int count, Lanes* x);
  // x[row] = `width` complex numbers from in + row * stride (counted in complex numbers); the other lanes are 0.
  void (*load)(const Complex* in, std::int64_t stride, std::int64_t rows, int width, Lanes* x);
  // The other way round, row `place[row]` of x.
  void (*store)(const Lanes* x, const std::int32_t* place, std::int64_t rows, int width, std::int64_t stride,
                Complex* out, bool past_caches);
  // out[lane] = rows place[k..k+count-1] of x, the lanes becoming rows and the rows lanes, each row times
  // coarse[row / fine_factors] * fine[row % fine_factors] before.
  void (*turn)(const Lanes* x, const std::int32_t* place, std::int64_t k, int count, const Lanes* coarse,
               const Lanes* fine, int width, Lanes* out, bool past_caches);
  // The same without the factors and near the processor: out[lane] of all lanes.
  void (*transpose)(const Lanes* x, const std::int32_t* place, int count, Lanes* out);
  // x is the transform of a + i b, of n real numbers each, and its output k in x[place[k]]: the first `count` outputs
  // of the transforms of a and of b, times `scale`.
  void (*apart)(const Lanes* x, const std::int32_t* place, std::int64_t n, std::int64_t count, double scale, Lanes* a,
                Lanes* b);
};

extern const Kernels plain;
extern const Kernels avx2;
extern const Kernels avx512;

}  // namespace banzuke::fft
// NOLINTEND(modernize-avoid-c-arrays)
