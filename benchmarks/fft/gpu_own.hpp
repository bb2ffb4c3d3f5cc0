// Our own transforms on a device: up to three passes over the array.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/gpu/runtime.hpp"
#include "gpu_launches.hpp"

namespace banzuke::fft {

// Returns the lengths of the passes, whose product is n (of a cube: its edge, three times). Throws UsageError if there
// are none.
std::vector<std::int64_t> own_lengths(std::int64_t n, std::int64_t dimensions);

class OwnFft {
 public:
  OwnFft(std::int64_t n, std::int64_t dimensions, const gpu::Stream& stream);

  // Times each pass that multiplies its outputs by roots with tables and with computed ones, and keeps the faster way;
  // overwrites `in`. Without this call, or use_computed(), all roots are from tables.
  void choose(gpu::DevicePointer<Complex> in);
  // Lets all passes that can compute their roots do so, or none.
  void use_computed(bool computed);
  // Returns the number of passes that compute their roots.
  std::int64_t computed() const;

  // Queues out := transform of in, which is overwritten.
  void forward(gpu::DevicePointer<Complex> in, gpu::DevicePointer<Complex> out) const;

  std::string method() const;  // "passes of 512, 512 and 256"

 private:
  void plan_line();
  void plan_cube();
  void add(DevicePass pass);

  const gpu::Stream& stream_;
  std::vector<std::int64_t> lengths_;
  bool cube_;
  std::vector<gpu::DeviceBuffer<Complex>> factors_, roots_;
  std::vector<DevicePass> passes_;
};

}  // namespace banzuke::fft
