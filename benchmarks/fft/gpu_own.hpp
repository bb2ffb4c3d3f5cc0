// Our own transforms on a device: up to three passes over the array.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/gpu/runtime.hpp"
#include "gpu_launches.hpp"

namespace banzuke::fft {

// Lengths whose product is n, each of one pass. Throws UsageError where there are none.
std::vector<std::int64_t> own_lengths(std::int64_t n, std::int64_t dimensions);

// How it is done.
struct Choice {
  // Numbers that two joined passes leave in the cache between them, about: 8 MiB, of which there are three. 0: passes
  // are launched one by one.
  std::int64_t chunk = std::int64_t{1} << 19U;
  int variant = 0;
  std::vector<std::int64_t> lengths{};  // of passes; none: as `own_lengths` has them
};

class OwnFft {
 public:
  OwnFft(std::int64_t n, std::int64_t dimensions, const gpu::Stream& stream, const Choice& choice = {});

  // Queues out := transform of in, which is lost.
  void forward(gpu::DevicePointer<Complex> in, gpu::DevicePointer<Complex> out) const;

  std::string method() const;  // "passes of 512, 512 and 256"

 private:
  void plan_line();
  void plan_cube();
  void add(DevicePass pass);
  void join_line();
  void join_cube();
  void join(const DevicePipeline& pipeline);

  const gpu::Stream& stream_;
  Choice choice_;
  std::vector<std::int64_t> lengths_;
  bool cube_;
  std::vector<gpu::DeviceBuffer<Complex>> factors_, roots_;
  std::vector<DevicePass> passes_;
  std::optional<DevicePipeline> joined_{};  // in place of the last two passes, or of the first two of a cube
  std::optional<gpu::DeviceBuffer<Complex>> between_{};
  std::optional<gpu::DeviceBuffer<std::int32_t>> counters_{};
};

}  // namespace banzuke::fft
