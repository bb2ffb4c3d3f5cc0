// Measures how close a job's processors are to each other, as the time to transfer a cache line between the outermost
// ones of a host. A hypervisor moves virtual processors without notice, and figures change with that.
#pragma once

#include <vector>

#include "core/communicator.hpp"
#include "core/json.hpp"

namespace banzuke {

class Nearness {
 public:
  // Collective. `processors`: those that this rank computes on, none if a device computes; `allowed`: those that it may
  // use, from which a second one is taken if a job has one processor on a host.
  Nearness(const Communicator& ranks, const std::vector<int>& processors, const std::vector<int>& allowed);

  // Measures. Collective; never call it in a timed part. Takes milliseconds: one rank of each host measures, the others
  // sleep.
  void look();

  // Returns on rank 0, for the host whose processors were farthest apart: exchange_latency at the last look(),
  // exchange_latency_before at the first, and exchange_processors; with several hosts also exchange_host and, for the
  // host where they were closest, exchange_host_nearest and exchange_latency_nearest. Empty if unknown. Collective.
  Json::Object conditions() const;

 private:
  const Communicator& ranks_;
  int first_ = -1;  // -1: another rank of the host measures, or none
  int last_ = -1;
  std::vector<double> seen_;
};

// The processor in `allowed` that is probably farthest from `cpu`, chosen deterministically: preferably in another
// package, then on another core, then by the difference of the numbers. Returns `cpu` if there is no other.
int farthest(int cpu, const std::vector<int>& allowed);

}  // namespace banzuke
