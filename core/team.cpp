#include "core/team.hpp"

#include <sched.h>

#include <algorithm>

namespace banzuke {

void Barrier::wait() {
  if (threads_ == 1) return;
  const std::uint32_t round = round_.load(std::memory_order_relaxed);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) == threads_ - 1) {
    arrived_.store(0, std::memory_order_relaxed);
    round_.store(round + 1, std::memory_order_release);
    return;
  }
  constexpr int patience = 1'000;  // some ten microseconds
  for (int spins = 0; round_.load(std::memory_order_acquire) == round; ++spins) {
    if (spins >= patience) sched_yield();
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("isb");  // `yield` takes no time on most
#endif
  }
}

std::pair<std::int64_t, std::int64_t> share(std::int64_t begin, std::int64_t end, int index, int parts,
                                            std::int64_t grain) {
  const std::int64_t grains = (end - begin + grain - 1) / grain;
  const auto cut = [&](std::int64_t part) { return std::min(end, begin + grains * part / parts * grain); };
  return {cut(index), cut(index + 1)};
}

}  // namespace banzuke
