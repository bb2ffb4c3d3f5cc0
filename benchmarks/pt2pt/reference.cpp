#include "reference.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstring>

namespace banzuke::pt2pt {
namespace {

using Flag = std::atomic<std::uint64_t>;
static_assert(Flag::is_always_lock_free, "a flag works between processes");

}  // namespace

std::size_t Direct::part_bytes(std::size_t message) { return page + (message + page - 1) / page * page; }

Direct::Direct(std::byte* own, std::byte* peers) : own_(own), peers_(peers) {}

void Direct::announce() { reinterpret_cast<Flag*>(own_)->store(++announced_, std::memory_order_release); }

void Direct::await() {
  ++seen_;
  constexpr int patience = 10'000;  // spins before yielding, because ranks may share a processor
  const auto* flag = reinterpret_cast<const Flag*>(peers_);
  for (int spins = 0; flag->load(std::memory_order_acquire) < seen_;) {
    if (spins < patience) {
      ++spins;
    } else {
      sched_yield();
    }
  }
}

void Direct::copy(std::byte* in, std::size_t size) const { std::memcpy(in, peers_ + page, size); }

void Direct::run(Exchange kind, bool first, std::byte* in, std::size_t size, std::int64_t window) {
  if (kind == Exchange::latency) {
    if (first) announce();
    await();
    copy(in, size);
    if (!first) announce();
    return;
  }
  const bool sends = first || kind == Exchange::bidirectional;
  const bool receives = !first || kind == Exchange::bidirectional;
  for (std::int64_t i = 0; sends && i < window; ++i) announce();
  for (std::int64_t i = 0; receives && i < window; ++i) {
    await();
    copy(in, size);
  }
  if (kind == Exchange::bidirectional) return;
  if (first) {
    await();
  } else {
    announce();
  }
}

std::int64_t direct_tries(double bytes) {
  constexpr double enough = 1e9;
  return static_cast<std::int64_t>(std::clamp(enough / std::max(bytes, 1.0), 4.0, 64.0));
}

}  // namespace banzuke::pt2pt
