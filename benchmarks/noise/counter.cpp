#include "counter.hpp"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace banzuke::noise {

Counter::Counter(std::uint32_t type, std::uint64_t config) {
  perf_event_attr wanted{};
  wanted.size = sizeof(wanted);
  wanted.type = type;
  wanted.config = config;
  wanted.exclude_kernel = 1;
  wanted.exclude_hv = 1;
  wanted.pinned = 1;  // never multiplexed with other counters; if it cannot be scheduled, it reads nothing
  file_ = static_cast<int>(syscall(SYS_perf_event_open, &wanted, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

Counter::~Counter() {
  if (open()) close(file_);
}

Counter Counter::user_time() { return {PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES}; }

std::int64_t Counter::read() const {
  std::int64_t value = 0;
  return ::read(file_, &value, sizeof(value)) == sizeof(value) ? value : -1;
}

}  // namespace banzuke::noise
