#pragma once

#include <cstdint>
#include <vector>

#include "core/fft/kernels.hpp"
#include "core/gpu/runtime.hpp"

namespace banzuke::fft {

// Queues x[i] := what is transformed, for all of so many.
void launch_fill(gpu::DevicePointer<Complex> x, std::int64_t size, const gpu::Stream& stream);

// Where the numbers of transforms are: number j of column c, of outer index o, is at base + o outer + c column + j
// step.
struct Layout {
  std::int64_t base = 0;
  std::int64_t outer = 0;
  std::int64_t column = 0;
  std::int64_t step = 0;

  // Whether neighbours in memory are numbers of one transform, or columns.
  bool by_numbers() const { return step == 1; }
};

// A pass over an array: transforms of one length.
struct DevicePass {
  std::int64_t length = 1;
  std::int64_t outers = 1;
  std::int64_t columns = 1;
  Layout in{}, out{};
  gpu::DevicePointer<Complex> from{}, to{};
  gpu::DevicePointer<const Complex> factors{};  // as `factors_of` has them
  // Where each output k of column c is turned by exp(-2 pi i c k / (length columns)): the tables of such roots.
  bool turned = false;
  gpu::DevicePointer<const Complex> coarse{}, fine{};
  int shift = 0;
  int variant = 0;  // of the kernels of a length
};

// The longest transform that a block can do at once.
inline constexpr std::int64_t longest_pass = 1024;
// Whether there is a kernel for this length alone; all others with the factors 2, 3 and 5 share one.
bool has_kernel(std::int64_t length);
// Of the butterflies of that pass, the first ones first.
std::vector<int> radices_of(std::int64_t length, int variant);
void launch(const DevicePass& pass, const gpu::Stream& stream);

// Two passes of one length, chunk by chunk, so that what is between them stays in the cache. `first` and `second` are
// those of the first chunk; `between` has room for the numbers of so many chunks.
struct DevicePipeline {
  static constexpr int rooms = 3;

  DevicePass first, second;
  std::int64_t chunks = 1;
  std::int64_t chunk = 0;        // numbers of one
  std::int64_t next_output = 0;  // from the place of a chunk's first output to that of the next one's
  gpu::DevicePointer<Complex> between{};
  gpu::DevicePointer<std::int32_t> counters{};  // 1 + 2 chunks of them
};
// The columns that the kernel of a length has in a block; a chunk has so many at least.
std::int64_t columns_of_block(std::int64_t length, int variant);
void launch(const DevicePipeline& pipeline, const gpu::Stream& stream);

}  // namespace banzuke::fft
