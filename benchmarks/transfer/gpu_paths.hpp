// How data gets from one place to another: what the host queues for a copy.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/gpu/nccl.hpp"
#include "core/gpu/runtime.hpp"
#include "gpu_memory.hpp"

namespace banzuke::transfer {

// A stream of a device, and events of it: when it begins, and when it ends.
struct Lane {
  explicit Lane(gpu::DeviceInfo of) : device(std::move(of)) {}

  gpu::DeviceInfo device;
  gpu::Stream stream;
  gpu::Event begin;
  gpu::Event end;
};
std::shared_ptr<Lane> make_lane(const gpu::DeviceInfo& device);

class Path {
 public:
  virtual ~Path() = default;

  // Queues one copy of so many bytes, both ends so far from the start of their places.
  virtual void queue(std::int64_t offset, std::int64_t bytes) = 0;
  // Those that it uses; the copies are done when all are.
  const std::vector<std::shared_ptr<Lane>>& lanes() const { return lanes_; }

 protected:
  explicit Path(std::vector<std::shared_ptr<Lane>> lanes) : lanes_(std::move(lanes)) {}
  Lane& lane(std::size_t number) { return *lanes_[number]; }

 private:
  std::vector<std::shared_ptr<Lane>> lanes_;
};

// By a copy engine of the lane's device.
std::unique_ptr<Path> engine_path(std::shared_ptr<Lane> lane, Place to, Place from);
// By the multiprocessors of the lane's device; neither end is pageable memory.
std::unique_ptr<Path> kernel_path(std::shared_ptr<Lane> lane, Place to, Place from);
// Between two devices by way of the host's memory, in pieces, of which so many are under way.
std::unique_ptr<Path> staged_path(std::shared_ptr<Lane> sender, std::shared_ptr<Lane> receiver, Place to, Place from,
                                  std::int64_t piece, std::size_t under_way);
// All of one copy's messages at once: one way or both.
struct NcclWay {
  int from = 0;  // among the library's devices, of which the lanes are
  int to = 0;
  Place in;
  Place out;
};
std::unique_ptr<Path> nccl_path(std::shared_ptr<gpu::Nccl> library, std::vector<std::shared_ptr<Lane>> lanes,
                                std::vector<NcclWay> ways);

}  // namespace banzuke::transfer
