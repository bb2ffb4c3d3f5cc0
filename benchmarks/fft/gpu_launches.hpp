#pragma once

#include <cstdint>
#include <vector>

#include "core/fft/kernels.hpp"
#include "core/gpu/runtime.hpp"

namespace banzuke::fft {

// Queues x[i] := the transform's input, for `size` numbers.
void launch_fill(gpu::DevicePointer<Complex> x, std::int64_t size, const gpu::Stream& stream);

// Memory layout of the transforms: number j of column c at outer index o is at base + o outer + c column + j step.
struct Layout {
  std::int64_t base = 0;
  std::int64_t outer = 0;
  std::int64_t column = 0;
  std::int64_t step = 0;

  // Returns whether neighbours in memory are numbers of one transform rather than columns.
  bool by_numbers() const { return step == 1; }
};

// A pass over an array: transforms of one length.
struct DevicePass {
  std::int64_t length = 1;
  std::int64_t outers = 1;
  std::int64_t columns = 1;
  Layout in{}, out{};
  gpu::DevicePointer<Complex> from{}, to{};
  gpu::DevicePointer<const Complex> factors{};  // as returned by `factors_of`
  // If true, each output k of column c is multiplied by exp(-2 pi i c k / (length columns)), from these tables of
  // roots.
  bool turned = false;
  gpu::DevicePointer<const Complex> coarse{}, fine{};
  int shift = 0;
  // If true, kernels compute these roots instead of reading them; only where can_compute_roots().
  bool computed = false;
};

// The longest transform that a thread block can do at once.
inline constexpr std::int64_t longest_pass = 1024;
// Returns whether this length has its own kernel; all others with factors 2, 3 and 5 share one.
bool has_kernel(std::int64_t length);
// Returns whether a pass has roots whose angles are exact in floating point: length x columns is a power of two.
bool can_compute_roots(const DevicePass& pass);
// Returns the radices of a pass's butterflies, in order of execution.
std::vector<int> radices_of(std::int64_t length, bool turned);
void launch(const DevicePass& pass, const gpu::Stream& stream);

}  // namespace banzuke::fft
