#include "core/team.hpp"

#include <sched.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace banzuke {

void Barrier::wait() {
  if (threads_ == 1) return;
  const std::uint32_t round = round_.load(std::memory_order_relaxed);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) == threads_ - 1) {
    arrived_.store(0, std::memory_order_relaxed);
    round_.store(round + 1, std::memory_order_release);
    return;
  }
  constexpr int patience = 1'000;  // about ten microseconds
  for (int spins = 0; round_.load(std::memory_order_acquire) == round; ++spins) {
    if (spins >= patience) sched_yield();
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("isb");  // `yield` is a no-op on most
#endif
  }
}

Parts::Parts(const std::vector<double>& rates) : count_(static_cast<int>(rates.size())), ends_(rates.size()) {
  if (rates.empty() || !std::ranges::all_of(rates, [](double rate) { return rate > 0.0; })) {
    throw std::invalid_argument("parts: a rate above 0 for each");
  }
  std::partial_sum(rates.begin(), rates.end(), ends_.begin());
  const double all = ends_.back();
  for (double& end : ends_) end /= all;
}

std::int64_t Parts::before(int index, std::int64_t items) const {
  if (index == 0 || index == count_) return index == 0 ? 0 : items;
  if (ends_.empty()) return items * index / count_;
  return static_cast<std::int64_t>(ends_[static_cast<std::size_t>(index) - 1] * static_cast<double>(items));
}

std::pair<std::int64_t, std::int64_t> share(std::int64_t begin, std::int64_t end, int index, const Parts& parts,
                                            std::int64_t grain) {
  const std::int64_t grains = (end - begin + grain - 1) / grain;
  const auto cut = [&](int part) { return std::min(end, begin + parts.before(part, grains) * grain); };
  return {cut(index), cut(index + 1)};
}

}  // namespace banzuke
