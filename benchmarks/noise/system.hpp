// Per-processor counts of the kernel: interrupts, softirqs, time stolen by a hypervisor.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "noise.hpp"

namespace banzuke::noise {

// Returns sums over the processors `cpus`, by name, from the text of /proc/interrupts. Offline processors have no
// column. A device's interrupts have the device's name, the processor's own their description.
std::map<std::string, std::int64_t> interrupts(std::string_view text, const std::vector<int>& cpus);
// Returns the same from the text of /proc/softirqs.
std::map<std::string, std::int64_t> softirqs(std::string_view text, const std::vector<int>& cpus);
// Returns stolen ticks from the text of /proc/stat.
std::int64_t stolen(std::string_view text, const std::vector<int>& cpus);
// Returns the seconds that the calling thread was ready but not running, from the text of /proc/thread-self/schedstat;
// negative if unknown.
double run_delay(std::string_view text);

// Returns the text of a file of /proc; empty if it cannot be read.
std::string proc_file(const std::string& path);

// Counts since construction.
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

// Returns whether the processor's time stamp counter runs at a constant rate, whatever the core clock does.
bool invariant_tsc();

}  // namespace banzuke::noise
