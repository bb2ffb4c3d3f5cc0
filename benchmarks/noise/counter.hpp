// A counter of the processor that counts for one thread, as the kernel gives it.
#pragma once

#include <cstdint>

namespace banzuke::noise {

class Counter {
 public:
  Counter() = default;  // closed
  // Counts the calling thread in user mode only; perf_event_open(2) says what `type` and `config` are. Closed where the
  // kernel, the hypervisor or the processor has none.
  Counter(std::uint32_t type, std::uint64_t config);
  ~Counter();
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;

  // Ticks at a constant rate while the thread runs in user mode: those of a quantum are its time less what the kernel
  // and others took of it.
  static Counter user_time();

  bool open() const { return file_ >= 0; }
  std::int64_t read() const;  // a system call

 private:
  int file_ = -1;
};

}  // namespace banzuke::noise
