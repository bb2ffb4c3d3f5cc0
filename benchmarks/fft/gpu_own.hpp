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

// Of numbers that two joined passes leave in the cache between them: 8 MiB, of which there are three.
inline constexpr std::int64_t usual_chunk = std::int64_t{1} << 19U;

class OwnFft {
 public:
  // `chunk`: numbers between joined passes, about; 0: passes are launched one by one.
  OwnFft(std::int64_t n, std::int64_t dimensions, const gpu::Stream& stream, std::int64_t chunk = usual_chunk);

  // Queues out := transform of in, which is lost.
  void forward(gpu::DevicePointer<Complex> in, gpu::DevicePointer<Complex> out) const;

  std::string method() const;  // "passes of 512, 512 and 256"

 private:
  void plan_line();
  void plan_cube();
  void add(DevicePass pass);
  void join_line(std::int64_t chunk);
  void join_cube(std::int64_t chunk);
  void join(const DevicePipeline& pipeline);

  const gpu::Stream& stream_;
  std::vector<std::int64_t> lengths_;
  bool cube_;
  std::vector<gpu::DeviceBuffer<Complex>> factors_, roots_;
  std::vector<DevicePass> passes_;
  std::optional<DevicePipeline> joined_{};  // in place of the last two passes, or of the first two of a cube
  std::optional<gpu::DeviceBuffer<Complex>> between_{};
  std::optional<gpu::DeviceBuffer<std::int32_t>> counters_{};
};

}  // namespace banzuke::fft
