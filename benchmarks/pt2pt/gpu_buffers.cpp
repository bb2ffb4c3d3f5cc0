// Messages between device memories: passed to MPI directly, or staged through pinned host memory.
#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "buffers.hpp"
#include "core/agreement.hpp"
#include "core/device_messages.hpp"
#include "core/gpu/choose.hpp"
#include "core/gpu/runtime.hpp"
#include "core/message.hpp"

namespace banzuke::pt2pt {
namespace {

using Bytes = gpu::PinnedBuffer<std::byte>;
constexpr std::size_t slots = pieces_under_way;

// Divides the messages of a window into pieces, one after another. There are two places in pinned memory, so that one
// piece is copied while another one is sent.
struct Pieces {
  Pieces(const Traffic& traffic, std::int64_t most)
      : size(traffic.size),
        stride(traffic.stride),
        piece(most),
        of_message(std::max<std::int64_t>(1, (size + most - 1) / most)),
        all(of_message * traffic.window) {}

  std::int64_t offset(std::int64_t i) const { return i / of_message * stride + i % of_message * piece; }
  std::int64_t bytes(std::int64_t i) const { return std::min(piece, size - i % of_message * piece); }

  std::int64_t size;
  std::int64_t stride;
  std::int64_t piece;
  std::int64_t of_message;
  std::int64_t all;
};

// One direction of the messages of one side.
class Way {
 public:
  explicit Way(std::int64_t piece) : at_once_(static_cast<std::size_t>(piece)), pinned_(slots * at_once_) {
    requests_.fill(MPI_REQUEST_NULL);
  }

 protected:
  static std::size_t slot(std::int64_t i) { return static_cast<std::size_t>(i) % slots; }
  gpu::PinnedPointer<std::byte> place(std::int64_t i) {
    return pinned_.data() + static_cast<std::int64_t>(slot(i) * at_once_);
  }
  MPI_Request& request(std::int64_t i) { return requests_[slot(i)]; }
  gpu::Event& copied(std::int64_t i) { return copied_[slot(i)]; }

  gpu::Stream stream_;

 private:
  std::size_t at_once_;
  Bytes pinned_;
  std::array<MPI_Request, slots> requests_{};
  std::array<gpu::Event, slots> copied_{};
};

class Sending : public Way {
 public:
  using Way::Way;

  void start(const Traffic& t, const Pieces& pieces) { copy(t, pieces, 0); }
  // Starts to copy the next piece, and sends piece `i`.
  void step(const Traffic& t, const Pieces& pieces, std::int64_t i) {
    if (i + 1 < pieces.all) copy(t, pieces, i + 1);
    copied(i).wait();
    MPI_Isend(place(i).address(), static_cast<int>(pieces.bytes(i)), MPI_CHAR, t.peer, message_tag, MPI_COMM_WORLD,
              &request(i));
  }
  void finish(const Pieces& pieces) {
    for (auto i = std::max<std::int64_t>(0, pieces.all - static_cast<std::int64_t>(slots)); i < pieces.all; ++i) {
      MPI_Wait(&request(i), MPI_STATUS_IGNORE);
    }
  }

 private:
  void copy(const Traffic& t, const Pieces& pieces, std::int64_t i) {
    MPI_Wait(&request(i), MPI_STATUS_IGNORE);  // for the piece that was in this place before
    gpu::copy(place(i), gpu::DevicePointer<const std::byte>(t.out + pieces.offset(i)),
              static_cast<std::size_t>(pieces.bytes(i)), stream_);
    copied(i).record(stream_);
  }
};

class Receiving : public Way {
 public:
  using Way::Way;

  void start(const Traffic& t, const Pieces& pieces) {
    for (std::int64_t i = 0; i < std::min<std::int64_t>(slots, pieces.all); ++i) expect(t, pieces, i);
  }
  // Copies a piece to the device, and starts to receive the next one into the place from which the piece before this
  // has been copied.
  void step(const Traffic& t, const Pieces& pieces, std::int64_t i) {
    MPI_Wait(&request(i), MPI_STATUS_IGNORE);
    gpu::copy(gpu::DevicePointer<std::byte>(t.in + pieces.offset(i)), place(i),
              static_cast<std::size_t>(pieces.bytes(i)), stream_);
    copied(i).record(stream_);
    const auto next = i - 1 + static_cast<std::int64_t>(slots);
    if (i == 0 || next >= pieces.all) return;
    copied(i - 1).wait();
    expect(t, pieces, next);
  }
  void finish() { stream_.wait(); }

 private:
  void expect(const Traffic& t, const Pieces& pieces, std::int64_t i) {
    MPI_Irecv(place(i).address(), static_cast<int>(pieces.bytes(i)), MPI_CHAR, t.peer, message_tag, MPI_COMM_WORLD,
              &request(i));
  }
};

class DeviceBuffers : public Buffers {
 public:
  DeviceBuffers(const Params& params, gpu::DeviceInfo device)
      : device_(std::move(device)),
        staged_(pt2pt::staged(params)),
        piece_(piece_bytes(params)),
        out_(static_cast<std::size_t>(buffer_bytes(params))),
        in_(out_.size()),
        message_(static_cast<std::size_t>(buffer_bytes(params))),
        sending_(staged_ ? piece_ : 1),
        receiving_(staged_ ? piece_ : 1) {
    write(static_cast<std::int64_t>(out_.size()));
  }

  std::byte* out() override { return out_.data().address(); }
  std::byte* in() override { return in_.data().address(); }
  bool host() const override { return false; }
  void write(std::int64_t size) override {
    gpu::set_bytes(out_.data(), 'a', static_cast<std::size_t>(size), stream_);
    gpu::set_bytes(in_.data(), 'b', static_cast<std::size_t>(size), stream_);
    stream_.wait();
  }
  void fill_out(std::int64_t offset, std::int64_t size, std::uint64_t seed) override {
    const auto bytes = static_cast<std::size_t>(size);
    fill(message_.first(bytes), seed);
    gpu::copy(out_.data() + offset, gpu::HostPointer<const std::byte>(message_.data()), bytes, stream_);
    stream_.wait();
  }
  std::int64_t wrong_in(std::int64_t offset, std::int64_t size, std::uint64_t seed) override {
    const auto bytes = static_cast<std::size_t>(size);
    gpu::copy(gpu::HostPointer<std::byte>(message_.data()), in_.data() + offset, bytes, stream_);
    stream_.wait();
    return mismatches(message_.first(bytes), seed);
  }
  bool staged() const override { return staged_; }
  void exchange(Exchange kind, bool first, const Traffic& t) override {
    const Pieces pieces(t, std::max<std::int64_t>(1, piece_));
    if (kind == Exchange::bidirectional) {
      both(t, pieces);
    } else if (kind == Exchange::latency) {
      if (first) send(t, pieces);
      receive(t, pieces);
      if (!first) send(t, pieces);
    } else if (first) {
      send(t, pieces);
      MPI_Recv(&answer_, 1, MPI_CHAR, t.peer, answer_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      receive(t, pieces);
      MPI_Send(&answer_, 1, MPI_CHAR, t.peer, answer_tag, MPI_COMM_WORLD);
    }
  }
  Json::Object conditions() const override { return {{"device", device_.name}, {"device_platform", gpu::platform()}}; }

 private:
  void send(const Traffic& t, const Pieces& pieces) {
    sending_.start(t, pieces);
    for (std::int64_t i = 0; i < pieces.all; ++i) sending_.step(t, pieces, i);
    sending_.finish(pieces);
  }
  void receive(const Traffic& t, const Pieces& pieces) {
    receiving_.start(t, pieces);
    for (std::int64_t i = 0; i < pieces.all; ++i) receiving_.step(t, pieces, i);
    receiving_.finish();
  }
  // Takes steps in turns. There is no deadlock, because the other side has already started what a step waits for.
  void both(const Traffic& t, const Pieces& pieces) {
    receiving_.start(t, pieces);
    sending_.start(t, pieces);
    for (std::int64_t i = 0; i < pieces.all; ++i) {
      sending_.step(t, pieces, i);
      receiving_.step(t, pieces, i);
    }
    sending_.finish(pieces);
    receiving_.finish();
  }

  gpu::DeviceInfo device_;
  bool staged_;
  std::int64_t piece_;
  gpu::Stream stream_;
  gpu::DeviceBuffer<std::byte> out_;
  gpu::DeviceBuffer<std::byte> in_;
  Buffer message_;
  Sending sending_;
  Receiving receiving_;
  char answer_ = 0;
};

}  // namespace

std::vector<std::string> buffer_kinds() {
  return {"device", "host-device", "device-host", "staged", "pipelined", "host"};
}

// Every rank asks the MPI library, even one whose messages are in host memory, so that all fail together and none waits
// for a rank that has ended.
std::unique_ptr<Buffers> make_buffers(const Params& params, bool first) {
  if (params.buffers != "host" && !staged(params)) {
    require_device_messages(gpu::platform(), "buffers=" + params.buffers);
  }
  gpu::DeviceInfo device = gpu::use_given();  // also for messages in host memory: the rank was given it
  if (on_device(params, first)) return std::make_unique<DeviceBuffers>(params, std::move(device));
  return make_host_buffers(params);
}

}  // namespace banzuke::pt2pt
