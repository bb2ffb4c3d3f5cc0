// What the kernel counts on each processor: interrupts, softirqs, time that a hypervisor took.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "noise.hpp"

namespace banzuke::noise {

// Sums over the processors `cpus`, by name. Processors that are off line have no column. Text of /proc/interrupts: a
// device's interrupts go by the device's name, the processor's own by their description.
std::map<std::string, std::int64_t> interrupts(std::string_view text, const std::vector<int>& cpus);
// Text of /proc/softirqs.
std::map<std::string, std::int64_t> softirqs(std::string_view text, const std::vector<int>& cpus);
// Ticks; text of /proc/stat.
std::int64_t stolen(std::string_view text, const std::vector<int>& cpus);
// Seconds that the calling thread was ready and did not run, of /proc/thread-self/schedstat; negative: not told.
double run_delay(std::string_view text);

// A file of /proc; empty when it cannot be read.
std::string proc_file(const std::string& path);

// From here on.
class SystemWatch {
 public:
  explicit SystemWatch(std::vector<int> cpus);
  Disturbances since() const;

 private:
  std::vector<int> cpus_;
  std::map<std::string, std::int64_t> interrupts_;
  std::map<std::string, std::int64_t> softirqs_;
  std::int64_t stolen_ = 0;
};

// Whether the processor's counter behind the clock runs on at one rate, whatever the processor's own clock does.
bool invariant_tsc();

}  // namespace banzuke::noise
