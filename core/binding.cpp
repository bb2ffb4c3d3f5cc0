#include "core/binding.hpp"

#include <omp.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>

#include "core/cpulist.hpp"
#include "core/parameters.hpp"

namespace banzuke {
namespace {

struct FreeSet {
  void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};
using CpuSet = std::unique_ptr<cpu_set_t, FreeSet>;

// Says why the kernel binds no thread to a processor, and which it would take; `allowed`: those of this process.
std::string why_refused(int cpu, const std::vector<int>& allowed) {
  std::string online;
  std::ifstream file("/sys/devices/system/cpu/online");
  std::getline(file, online);
  const auto there = online.empty() ? allowed : parse_list(online);
  if (std::ranges::count(there, cpu) == 0) return "it is offline or does not exist; online: " + format_list(there);
  return "the job's cpuset leaves it out; this process may use " + format_list(allowed);
}

}  // namespace

std::vector<int> allowed_cpus(int thread_id) {
  // The kernel rejects a mask shorter than its own and does not report that length.
  for (int count = 1024;; count *= 4) {
    const CpuSet set(CPU_ALLOC(count));
    const std::size_t bytes = CPU_ALLOC_SIZE(count);
    if (sched_getaffinity(thread_id, bytes, set.get()) == 0) {
      std::vector<int> cpus;
      for (int cpu = 0; cpu < count; ++cpu) {
        if (CPU_ISSET_S(cpu, bytes, set.get())) cpus.push_back(cpu);
      }
      return cpus;
    }
    if (errno != EINVAL || count > (1 << 22))
      throw std::system_error(errno, std::generic_category(), "sched_getaffinity");
  }
}

void allow_cpus(const std::vector<int>& cpus, int thread_id) {
  const int count = *std::ranges::max_element(cpus) + 1;
  const CpuSet set(CPU_ALLOC(count));
  const std::size_t bytes = CPU_ALLOC_SIZE(count);
  CPU_ZERO_S(bytes, set.get());
  for (const int cpu : cpus) CPU_SET_S(cpu, bytes, set.get());
  if (sched_setaffinity(thread_id, bytes, set.get()) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot bind a thread to processor " + format_list(cpus));
  }
}

void bind_threads(const std::vector<int>& cpus) {
  omp_set_dynamic(0);
  omp_set_num_threads(static_cast<int>(cpus.size()));
  std::atomic<int> refused{-1};
  const auto allowed = allowed_cpus();
#pragma omp parallel default(none) shared(cpus, refused)
  {
    const int cpu = cpus[static_cast<std::size_t>(omp_get_thread_num())];
    try {
      allow_cpus({cpu});
    } catch (const std::system_error&) {
      refused = cpu;
    }
  }
  if (refused >= 0) {
    throw UsageError("cannot bind a thread to processor " + std::to_string(refused) + ": " +
                     why_refused(refused, allowed));
  }
}

std::vector<std::string> read_binding() {
  std::vector<std::string> threads(static_cast<std::size_t>(omp_get_max_threads()));
#pragma omp parallel default(none) shared(threads)
  threads[static_cast<std::size_t>(omp_get_thread_num())] = format_list(allowed_cpus());
  return threads;
}

std::vector<int> thread_ids() {
  std::vector<int> ids;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    const std::string name = entry.path().filename();
    int id = 0;
    std::from_chars(name.data(), name.data() + name.size(), id);
    ids.push_back(id);
  }
  return ids;
}

}  // namespace banzuke
