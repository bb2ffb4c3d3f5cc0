// A hardware performance counter for one thread, provided by the kernel.
#pragma once

#include <cstdint>

namespace banzuke::noise {

class Counter {
 public:
  Counter() = default;  // closed
  // Counts the calling thread in user mode only; for `type` and `config` see perf_event_open(2). Closed if the kernel,
  // the hypervisor or the processor has no such counter.
  Counter(std::uint32_t type, std::uint64_t config);
  ~Counter();
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;

  // Ticks at a constant rate while the thread runs in user mode: a quantum's ticks are its time minus what the kernel
  // and others took.
  static Counter user_time();

  bool open() const { return file_ >= 0; }
  std::int64_t read() const;  // a system call

 private:
  int file_ = -1;
};

}  // namespace banzuke::noise
