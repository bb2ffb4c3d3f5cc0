// Buffers in host memory, used by all backends.
#include <algorithm>
#include <span>

#include "buffers.hpp"
#include "core/message.hpp"

namespace banzuke::pt2pt {
namespace {

class HostBuffers : public Buffers {
 public:
  explicit HostBuffers(std::size_t bytes) : out_(bytes), in_(bytes) {}

  std::byte* out() override { return out_.data(); }
  std::byte* in() override { return in_.data(); }
  bool host() const override { return true; }
  void write(std::int64_t size) override {
    std::ranges::fill(out_.first(static_cast<std::size_t>(size)), std::byte{'a'});
    std::ranges::fill(in_.first(static_cast<std::size_t>(size)), std::byte{'b'});
  }
  void fill_out(std::int64_t offset, std::int64_t size, std::uint64_t seed) override {
    fill(std::span(out_.data() + offset, static_cast<std::size_t>(size)), seed);
  }
  std::int64_t wrong_in(std::int64_t offset, std::int64_t size, std::uint64_t seed) override {
    return mismatches(std::span<const std::byte>(in_.data() + offset, static_cast<std::size_t>(size)), seed);
  }
  bool staged() const override { return false; }
  void exchange(Exchange, bool, const Traffic&) override {}
  Json::Object conditions() const override { return {}; }

 private:
  Buffer out_;
  Buffer in_;
};

}  // namespace

std::unique_ptr<Buffers> make_host_buffers(const Params& params) {
  return std::make_unique<HostBuffers>(static_cast<std::size_t>(buffer_bytes(params)));
}

}  // namespace banzuke::pt2pt
