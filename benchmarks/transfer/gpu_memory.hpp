// The memories between which data move, each with a send and a receive buffer.
#pragma once

#include <memory>
#include <variant>

#include "core/gpu/runtime.hpp"
#include "transfer.hpp"

namespace banzuke::transfer {

using Place = std::variant<gpu::HostPointer<std::byte>, gpu::PinnedPointer<std::byte>, gpu::DevicePointer<std::byte>>;

class Memory {
 public:
  virtual ~Memory() = default;

  virtual Place out() = 0;
  virtual Place in() = 0;
  // Write a key's data into `out`; clear `in`; count the wrong bytes in `in` afterwards.
  virtual void fill_out(const Slots& slots, const Key& key) = 0;
  virtual void clear_in(const Slots& slots) = 0;
  virtual std::int64_t wrong_in(const Slots& slots, const Key& key) = 0;
};

// Allocate host memory, pageable or locked, or memory of a device, which becomes current. Buffers of 0 bytes are
// unused.
std::unique_ptr<Memory> pageable_memory(std::int64_t out, std::int64_t in);
std::unique_ptr<Memory> pinned_memory(std::int64_t out, std::int64_t in);
std::unique_ptr<Memory> device_memory(int device, std::int64_t out, std::int64_t in);

}  // namespace banzuke::transfer
