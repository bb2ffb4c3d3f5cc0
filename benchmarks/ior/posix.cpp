#include <unistd.h>

#include "file.hpp"

namespace banzuke::ior {

void check_backend(const Params& params) {
  if (params.queue_depth != 1) {
    throw UsageError("queue_depth: the backend posix has one transfer under way", {{{"queue_depth", 1}}});
  }
  if (params.collective == "yes") {
    throw UsageError("collective: the backend posix has no collective transfers", {{{"collective", "no"}}});
  }
}

struct File::Impl {
  Descriptor descriptor;
  std::string name;
  std::int64_t transfer;

  // Calls `call` until all is transferred: it may transfer only a part of the rest, or be interrupted.
  template <class Byte, class Call>
  void move(const char* verb, Byte* data, std::int64_t offset, Call call) const {
    for (std::int64_t done = 0; done < transfer;) {
      const auto moved = call(descriptor.get(), data + done, static_cast<std::size_t>(transfer - done),
                              static_cast<off_t>(offset + done));
      if (moved > 0) {
        done += moved;
      } else if (moved == 0) {
        throw std::runtime_error("cannot " + attempted(verb, transfer, offset, name) + ": the file ends there");
      } else if (errno != EINTR) {
        throw_errno(attempted(verb, transfer, offset, name));
      }
    }
  }
};

File::File(const Params& params, const Opening& opening)
    : impl_(make_hidden<Impl>(
          Impl{.descriptor = open_file(params, opening), .name = opening.path(), .transfer = params.transfer})) {}

void File::write(const std::byte* data, std::int64_t offset) { impl_->move("write", data, offset, ::pwrite); }
void File::read(std::byte* data, std::int64_t offset) { impl_->move("read", data, offset, ::pread); }
void File::wait(std::span<const std::byte> /*memory*/) {}
void File::wait() {}

void File::sync() {
  if (fsync(impl_->descriptor.get()) != 0) throw_errno("write " + impl_->name + " to the storage (fsync)");
}

void File::close() {
  if (impl_->descriptor.reset() != 0) throw_errno("close " + impl_->name);
}

}  // namespace banzuke::ior
