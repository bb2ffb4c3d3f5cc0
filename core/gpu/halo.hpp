// Halo exchange for a vector on a device, external values after its own ones, while the device keeps computing: through
// pinned memory and messages of the host, or by messages between device memories.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/gpu/kernel.hpp"
#include "core/gpu/runtime.hpp"
#include "core/halo.hpp"

namespace banzuke::gpu {

class DeviceHalo {
 public:
  // Queues out[i] = x[list[i]] for i < n, a kernel that the caller launches.
  using Pack = std::function<void(const Stream& stream, std::int64_t n, DevicePointer<const std::int32_t> list,
                                  DevicePointer<const double> x, Elements<double> out)>;

  // `own`: number of elements before the external ones. A row has `width` elements. `send`: the elements that the
  // neighbours need, one neighbour after another. Messages are between device memories if `ranks` pass these.
  DeviceHalo(const SubCommunicator& ranks, const std::vector<Halo::Neighbour>& neighbours, int width,
             DeviceBuffer<std::int32_t> send, std::int64_t own, const Stream& stream, Pack pack);

  std::int64_t external() const { return external_; }  // elements
  // Sends elements of x as they are after all queued work, and receives the external ones; they are valid for work
  // queued after finish(), which waits for them. In between, x's own elements may be read.
  void start(DevicePointer<double> x);
  void finish();
  void exchange(DevicePointer<double> x) {
    start(x);
    finish();
  }

 private:
  void exchange_messages(std::span<const double> out, std::span<double> in);

  struct Message {
    int rank;
    std::size_t sent;
    std::size_t received;
  };

  Transfer transfer_;
  std::vector<Message> messages_;
  DeviceBuffer<std::int32_t> send_;
  std::int64_t own_;
  std::int64_t external_ = 0;
  const Stream& stream_;
  Pack pack_;
  Stream beside_;
  Event ready_, done_;
  bool direct_;  // between device memories; else through `out_` and `in_`
  DeviceBuffer<double> packed_;
  std::unique_ptr<PinnedBuffer<double>> out_;
  std::unique_ptr<PinnedBuffer<double>> in_;
  DevicePointer<double> x_;
};

// The rows that neighbours need, one neighbour after another.
std::vector<std::int32_t> rows_to_send(const std::vector<Halo::Neighbour>& neighbours);

}  // namespace banzuke::gpu
