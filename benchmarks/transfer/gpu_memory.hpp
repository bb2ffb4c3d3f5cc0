// The memories between which data moves: what is sent from each, and what arrives there.
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
  // Writes a key's data into `out`; nothing that is known into `in`; how much of `in` is not that data then.
  virtual void fill_out(const Slots& slots, const Key& key) = 0;
  virtual void clear_in(const Slots& slots) = 0;
  virtual std::int64_t wrong_in(const Slots& slots, const Key& key) = 0;
};

// Memory of the host, pageable or locked, or of a device, which becomes current. Buffers of no bytes are not used.
std::unique_ptr<Memory> pageable_memory(std::int64_t out, std::int64_t in);
std::unique_ptr<Memory> pinned_memory(std::int64_t out, std::int64_t in);
std::unique_ptr<Memory> device_memory(int device, std::int64_t out, std::int64_t in);

}  // namespace banzuke::transfer
