// The values of neighbours' rows, after a vector's own ones on a device: through pinned memory and the host's messages,
// while the device works on.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/gpu/runtime.hpp"
#include "core/halo.hpp"

namespace banzuke::hpcg {

class DeviceHalo {
 public:
  // `own`: elements before the external ones. `send`: by neighbour, one after another, the elements that they need.
  DeviceHalo(const SubCommunicator& ranks, const std::vector<Halo::Neighbour>& neighbours,
             gpu::DeviceBuffer<std::int32_t> send, std::int64_t own, const gpu::Stream& stream);

  std::int64_t external() const { return external_; }
  // Sends the elements of x as they are after what is queued, and receives the external ones: for what is queued after
  // finish(), which waits for them. Between the two, x's own elements may be read.
  void start(gpu::DevicePointer<double> x);
  void finish();
  void exchange(gpu::DevicePointer<double> x) {
    start(x);
    finish();
  }

 private:
  struct Message {
    int rank;
    std::size_t sent;
    std::size_t received;
  };

  Transfer transfer_;
  std::vector<Message> messages_;
  gpu::DeviceBuffer<std::int32_t> send_;
  std::int64_t own_;
  std::int64_t external_ = 0;
  const gpu::Stream& stream_;
  gpu::Stream beside_;
  gpu::Event ready_, done_;
  gpu::PinnedBuffer<double> out_;
  std::unique_ptr<gpu::PinnedBuffer<double>> in_;
  gpu::DevicePointer<double> x_;
};

// The rows that neighbours need, one neighbour after another.
std::vector<std::int32_t> rows_to_send(const std::vector<Halo::Neighbour>& neighbours);

}  // namespace banzuke::hpcg
