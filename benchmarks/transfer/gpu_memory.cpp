#include "gpu_memory.hpp"

#include <algorithm>
#include <cstring>

namespace banzuke::transfer {
namespace {

using gpu::Space;

// Calls visit(offset, bytes, slot, number) for every part of every slot, and gap(offset, bytes) for the gap after each
// slot.
template <class Visit, class Gap>
void each_part(const Slots& slots, Visit visit, Gap gap) {
  for (std::int64_t slot = 0; slot < slots.count; ++slot) {
    const std::int64_t first = slot * slots.stride;
    std::int64_t number = 0;
    for (std::int64_t at = 0; at < slots.size; at += part_bytes) {
      visit(first + at, std::min(part_bytes, slots.size - at), slot, number++);
    }
    gap(first + slots.size, slots.stride - slots.size);
  }
}

std::int64_t touched(std::span<const std::byte> gap) {
  return std::ranges::count_if(gap, [](std::byte one) { return one != std::byte{untouched}; });
}

template <Space S>
class HostMemory : public Memory {
 public:
  HostMemory(std::int64_t out, std::int64_t in)
      : out_(static_cast<std::size_t>(out)), in_(static_cast<std::size_t>(in)) {}

  Place out() override { return out_.data(); }
  Place in() override { return in_.data(); }
  void fill_out(const Slots& slots, const Key& key) override {
    each_part(
        slots,
        [&](std::int64_t at, std::int64_t bytes, std::int64_t slot, std::int64_t number) {
          transfer::fill(part(out_, at, bytes), key, slot, number);
        },
        [](std::int64_t, std::int64_t) {});
  }
  void clear_in(const Slots& slots) override {
    std::memset(in_.span().data(), untouched, static_cast<std::size_t>(slots.bytes()));
  }
  std::int64_t wrong_in(const Slots& slots, const Key& key) override {
    std::int64_t found = 0;
    each_part(
        slots,
        [&](std::int64_t at, std::int64_t bytes, std::int64_t slot, std::int64_t number) {
          found += transfer::wrong(part(in_, at, bytes), key, slot, number);
        },
        [&](std::int64_t at, std::int64_t bytes) { found += touched(part(in_, at, bytes)); });
    return found;
  }

 private:
  using Bytes = gpu::Buffer<std::byte, S>;
  static std::span<std::byte> part(Bytes& of, std::int64_t at, std::int64_t bytes) {
    return of.span().subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(bytes));
  }

  Bytes out_;
  Bytes in_;
};

// Device memory that is filled and read through pinned memory in parts, on a stream of its own, so that the check does
// not depend on the path that is timed.
class DeviceMemory : public Memory {
 public:
  DeviceMemory(int device, std::int64_t out, std::int64_t in)
      : device_(device),
        out_(static_cast<std::size_t>(out)),
        in_(static_cast<std::size_t>(in)),
        part_(static_cast<std::size_t>(std::min(part_bytes, std::max(out, in)))) {}

  Place out() override { return out_.data(); }
  Place in() override { return in_.data(); }
  void fill_out(const Slots& slots, const Key& key) override {
    each_part(
        slots,
        [&](std::int64_t at, std::int64_t bytes, std::int64_t slot, std::int64_t number) {
          const auto count = static_cast<std::size_t>(bytes);
          transfer::fill(part_.span().first(count), key, slot, number);
          gpu::copy(out_.data() + at, part_.data(), count, stream_);
          stream_.wait();
        },
        [](std::int64_t, std::int64_t) {});
  }
  void clear_in(const Slots& slots) override {
    gpu::turn_to(device_);
    gpu::set_bytes(in_.data(), untouched, static_cast<std::size_t>(slots.bytes()), stream_);
    stream_.wait();
  }
  std::int64_t wrong_in(const Slots& slots, const Key& key) override {
    std::int64_t found = 0;
    each_part(
        slots,
        [&](std::int64_t at, std::int64_t bytes, std::int64_t slot, std::int64_t number) {
          found += transfer::wrong(brought(at, bytes), key, slot, number);
        },
        [&](std::int64_t at, std::int64_t bytes) { found += touched(brought(at, bytes)); });
    return found;
  }

 private:
  std::span<const std::byte> brought(std::int64_t at, std::int64_t bytes) {
    const auto count = static_cast<std::size_t>(bytes);
    gpu::copy(part_.data(), in_.data() + at, count, stream_);
    stream_.wait();
    return part_.span().first(count);
  }

  int device_;
  gpu::Stream stream_;
  gpu::DeviceBuffer<std::byte> out_;
  gpu::DeviceBuffer<std::byte> in_;
  gpu::PinnedBuffer<std::byte> part_;
};

}  // namespace

std::unique_ptr<Memory> pageable_memory(std::int64_t out, std::int64_t in) {
  return std::make_unique<HostMemory<Space::host>>(out, in);
}
std::unique_ptr<Memory> pinned_memory(std::int64_t out, std::int64_t in) {
  return std::make_unique<HostMemory<Space::pinned>>(out, in);
}
std::unique_ptr<Memory> device_memory(int device, std::int64_t out, std::int64_t in) {
  gpu::turn_to(device);
  return std::make_unique<DeviceMemory>(device, out, in);
}

}  // namespace banzuke::transfer
