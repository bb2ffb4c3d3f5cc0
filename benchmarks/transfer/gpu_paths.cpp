#include "gpu_paths.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "gpu_launches.hpp"

namespace banzuke::transfer {
namespace {

class Engine : public Path {
 public:
  Engine(std::shared_ptr<Lane> lane, Place to, Place from) : Path({std::move(lane)}), to_(to), from_(from) {}

  void queue(std::int64_t offset, std::int64_t bytes) override {
    std::visit(
        [&](auto to, auto from) {
          gpu::copy(to + offset, from + offset, static_cast<std::size_t>(bytes), lane(0).stream);
        },
        to_, from_);
  }

 private:
  Place to_;
  Place from_;
};

class Kernel : public Path {
 public:
  Kernel(std::shared_ptr<Lane> lane, Place to, Place from) : Path({std::move(lane)}), to_(to), from_(from) {}

  void queue(std::int64_t offset, std::int64_t bytes) override {
    gpu::turn_to(lane(0).device.number);
    const auto blocks = move_blocks(bytes, lane(0).device.multiprocessors);
    std::visit(
        [&](auto to, auto from) {
          if constexpr (requires { launch_move(to, from, bytes, blocks, lane(0).stream); }) {
            launch_move(to + offset, from + offset, bytes, blocks, lane(0).stream);
          } else {
            throw std::logic_error("no kernel moves data between such memories");
          }
        },
        to_, from_);
  }

 private:
  Place to_;
  Place from_;
};

class Staged : public Path {
 public:
  Staged(std::shared_ptr<Lane> sender, std::shared_ptr<Lane> receiver, Place to, Place from, std::int64_t piece,
         std::size_t under_way)
      : Path({std::move(sender), std::move(receiver)}), to_(to), from_(from), piece_(piece) {
    for (std::size_t i = 0; i < under_way; ++i) stages_.push_back(std::make_unique<Stage>(piece, lane(0), lane(1)));
  }

  void queue(std::int64_t offset, std::int64_t bytes) override {
    for (std::int64_t at = 0; at < bytes; at += piece_) move(offset + at, std::min(piece_, bytes - at));
  }

 private:
  // A buffer in host memory; each event belongs to the device that records it.
  struct Stage {
    Stage(std::int64_t bytes, const Lane& sender, const Lane& receiver)
        : place(static_cast<std::size_t>(bytes)), full(event_of(sender)), free(event_of(receiver)) {}

    static std::unique_ptr<gpu::Event> event_of(const Lane& lane) {
      gpu::turn_to(lane.device.number);
      return std::make_unique<gpu::Event>();
    }

    gpu::PinnedBuffer<std::byte> place;
    std::unique_ptr<gpu::Event> full;
    std::unique_ptr<gpu::Event> free;
  };

  void move(std::int64_t offset, std::int64_t bytes) {
    Stage& stage = *stages_[next_++ % stages_.size()];
    const auto count = static_cast<std::size_t>(bytes);
    lane(0).stream.after(*stage.free);  // waits until the previous piece has left; no wait if there was none
    std::visit([&](auto from) { gpu::copy(stage.place.data(), from + offset, count, lane(0).stream); }, from_);
    stage.full->record(lane(0).stream);
    lane(1).stream.after(*stage.full);
    std::visit([&](auto to) { gpu::copy(to + offset, stage.place.data(), count, lane(1).stream); }, to_);
    stage.free->record(lane(1).stream);
  }

  Place to_;
  Place from_;
  std::int64_t piece_;
  std::vector<std::unique_ptr<Stage>> stages_{};
  std::size_t next_ = 0;
};

class ByNccl : public Path {
 public:
  ByNccl(std::shared_ptr<gpu::Nccl> library, std::vector<std::shared_ptr<Lane>> lanes, std::vector<NcclWay> ways)
      : Path(std::move(lanes)), library_(std::move(library)), ways_(std::move(ways)) {}

  void queue(std::int64_t offset, std::int64_t bytes) override {
    std::vector<gpu::Nccl::Message> messages;
    messages.reserve(ways_.size());
    for (const auto& [from, to, in, out] : ways_) {
      messages.push_back({.from = from,
                          .to = to,
                          .out = std::get<gpu::DevicePointer<std::byte>>(out) + offset,
                          .in = std::get<gpu::DevicePointer<std::byte>>(in) + offset,
                          .bytes = static_cast<std::size_t>(bytes),
                          .sends = &lane(static_cast<std::size_t>(from)).stream,
                          .receives = &lane(static_cast<std::size_t>(to)).stream});
    }
    library_->queue(messages);
  }

 private:
  std::shared_ptr<gpu::Nccl> library_;
  std::vector<NcclWay> ways_;
};

}  // namespace

std::shared_ptr<Lane> make_lane(const gpu::DeviceInfo& device) {
  gpu::turn_to(device.number);
  return std::make_shared<Lane>(device);
}

std::unique_ptr<Path> engine_path(std::shared_ptr<Lane> lane, Place to, Place from) {
  return std::make_unique<Engine>(std::move(lane), to, from);
}
std::unique_ptr<Path> kernel_path(std::shared_ptr<Lane> lane, Place to, Place from) {
  return std::make_unique<Kernel>(std::move(lane), to, from);
}
std::unique_ptr<Path> staged_path(std::shared_ptr<Lane> sender, std::shared_ptr<Lane> receiver, Place to, Place from,
                                  std::int64_t piece, std::size_t under_way) {
  return std::make_unique<Staged>(std::move(sender), std::move(receiver), to, from, piece, under_way);
}
std::unique_ptr<Path> nccl_path(std::shared_ptr<gpu::Nccl> library, std::vector<std::shared_ptr<Lane>> lanes,
                                std::vector<NcclWay> ways) {
  return std::make_unique<ByNccl>(std::move(library), std::move(lanes), std::move(ways));
}

}  // namespace banzuke::transfer
