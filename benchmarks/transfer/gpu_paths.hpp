// Transfer paths: what the host queues for a copy.
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

// A device's stream, with events for begin and end.
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

  // Queues one copy of `bytes` bytes at `offset` from the start of both places.
  virtual void queue(std::int64_t offset, std::int64_t bytes) = 0;
  // The lanes that the path uses; the copies are complete when all lanes are.
  const std::vector<std::shared_ptr<Lane>>& lanes() const { return lanes_; }

 protected:
  explicit Path(std::vector<std::shared_ptr<Lane>> lanes) : lanes_(std::move(lanes)) {}
  Lane& lane(std::size_t number) { return *lanes_[number]; }

 private:
  std::vector<std::shared_ptr<Lane>> lanes_;
};

// Copies by a copy engine of the lane's device.
std::unique_ptr<Path> engine_path(std::shared_ptr<Lane> lane, Place to, Place from);
// Copies by the multiprocessors of the lane's device; neither end may be pageable memory.
std::unique_ptr<Path> kernel_path(std::shared_ptr<Lane> lane, Place to, Place from);
// Copies between two devices through host memory, in pieces, `under_way` of which are in flight.
std::unique_ptr<Path> staged_path(std::shared_ptr<Lane> sender, std::shared_ptr<Lane> receiver, Place to, Place from,
                                  std::int64_t piece, std::size_t under_way);
// All messages of one copy: in one direction or both.
struct NcclWay {
  int from = 0;  // index into the library's devices, to which the lanes belong
  int to = 0;
  Place in;
  Place out;
};
std::unique_ptr<Path> nccl_path(std::shared_ptr<gpu::Nccl> library, std::vector<std::shared_ptr<Lane>> lanes,
                                std::vector<NcclWay> ways);

}  // namespace banzuke::transfer
