// Messages between the devices of this process by NCCL or RCCL, loaded at run time. Between emulated devices, copies
// are used instead.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/gpu/runtime.hpp"
#include "core/hidden.hpp"

namespace banzuke::gpu {

class Nccl {
 public:
  // Messages among these devices, numbered in this order. The library is the one that BANZUKE_NCCL or BANZUKE_RCCL
  // names, else the one that the loader finds. Throws Error with the loader's or the library's message.
  explicit Nccl(const std::vector<int>& devices);

  struct Message {
    int from = 0;  // index into the devices
    int to = 0;
    DevicePointer<const std::byte> out{};
    DevicePointer<std::byte> in{};
    std::size_t bytes = 0;
    const Stream* sends = nullptr;  // of the device `from`
    const Stream* receives = nullptr;
  };
  // Queues the messages as one group.
  void queue(const std::vector<Message>& messages) const;

  const std::string& name() const;  // "NCCL 2.27.3"
  const std::string& path() const;

 private:
  struct Impl;
  Hidden<Impl> impl_;
};

}  // namespace banzuke::gpu
