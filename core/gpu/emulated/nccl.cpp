#include "core/gpu/nccl.hpp"

#include <cstdlib>
#include <cstring>

#include "core/gpu/emulated/queue.hpp"

namespace banzuke::gpu {

struct Nccl::Impl {
  std::string name = "copies of the emulated devices";
  std::string path{};
};

Nccl::Nccl(const std::vector<int>&) : impl_(make_hidden<Impl>()) {
  const char* there = std::getenv("BANZUKE_EMULATED_NCCL");
  if (there != nullptr && std::string(there) == "none") throw Error("cannot load libnccl.so.2: no such file");
}

// Both streams continue when both have reached this point.
void Nccl::queue(const std::vector<Message>& messages) const {
  for (const auto& message : messages) {
    const auto ready = emulated::mark(*message.sends);
    const bool sent = emulated::sends(*message.sends);
    emulated::queue(*message.receives, [ready, sent, message] {
      ready();
      if (sent) std::memcpy(message.in.address(), message.out.address(), message.bytes);
    });
  }
  for (const auto& message : messages) emulated::queue(*message.sends, emulated::mark(*message.receives));
}

const std::string& Nccl::name() const { return impl_->name; }
const std::string& Nccl::path() const { return impl_->path; }

}  // namespace banzuke::gpu
