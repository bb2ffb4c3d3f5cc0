// The loops of eight simultaneous transforms for one instruction set; each kernels_*.cpp is compiled for its own, and
// the program takes the widest that the processor runs. Included in code compiled for wider instructions, so nothing
// here may define a function that the linker could share with the rest of the program.
// NOLINTBEGIN(modernize-avoid-c-arrays)
#pragma once

#include <cstdint>

namespace banzuke::fft {

// Number of simultaneous transforms: one in each lane.
inline constexpr int lanes = 8;

// One element of each transform.
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

// Number of rows in a block of twiddle factors: rows 0, 1, 2, ..., for each lane.
inline constexpr int fine_factors = 64;

struct Kernels {
  const char* name;
  // Runs all stages on the first stage's block. The outputs are left in digit-reversed order.
  void (*transform)(const Stage* stages, int count, Lanes* x);
  // The same from other rows, or from eight columns like `load`, which the first stage loads.
  void (*transform_rows)(const Stage* stages, int count, const Lanes* in, Lanes* x);
  void (*transform_columns)(const Stage* stages, int count, const Complex* in, std::int64_t stride, Lanes* x);
  // x[row] = `width` complex numbers from in + row * stride (counted in complex numbers); the other lanes are 0.
  void (*load)(const Complex* in, std::int64_t stride, std::int64_t rows, int width, Lanes* x);
  // The reverse, from row `place[row]` of x.
  void (*store)(const Lanes* x, const std::int32_t* place, std::int64_t rows, int width, std::int64_t stride,
                Complex* out, bool past_caches);
  // Transposes rows place[k..k+count-1] of x into out, lanes becoming rows and rows lanes, after multiplying each row
  // by coarse[row / fine_factors] * fine[row % fine_factors].
  void (*turn)(const Lanes* x, const std::int32_t* place, std::int64_t k, int count, const Lanes* coarse,
               const Lanes* fine, int width, Lanes* out, bool past_caches);
  // The same without the factors and with ordinary stores: out[lane] of all lanes.
  void (*transpose)(const Lanes* x, const std::int32_t* place, int count, Lanes* out);
  // x is the transform of a + i b, of n real numbers each, with output k in x[place[k]]. Computes the first `count`
  // outputs of the transforms of a and of b, times `scale`.
  void (*apart)(const Lanes* x, const std::int32_t* place, std::int64_t n, std::int64_t count, double scale, Lanes* a,
                Lanes* b);
};

extern const Kernels plain;
extern const Kernels avx2;
extern const Kernels avx512;
extern const Kernels sve256;
extern const Kernels sve512;

}  // namespace banzuke::fft
// NOLINTEND(modernize-avoid-c-arrays)
