// How near to each other the processors of a job are, by the time that a cache line takes between the outermost ones
// of a host: a hypervisor moves virtual processors without notice, and figures change with it.
#pragma once

#include <vector>

#include "core/communicator.hpp"
#include "core/json.hpp"

namespace banzuke {

class Nearness {
 public:
  // Collective. `processors`: those that this rank computes on, none where a device computes; `allowed`: those that it
  // may use, among which a job with one processor on a host finds a second one.
  Nearness(const Communicator& ranks, const std::vector<int>& processors, const std::vector<int>& allowed);

  // Collective; never while anything is timed. Takes milliseconds: one rank of each host measures, the others sleep.
  void look();

  // Collective. On rank 0, for the host whose processors were farthest apart: exchange_latency at the last look,
  // exchange_latency_before at the first, and exchange_processors; with several hosts also exchange_host and, for the
  // one where they were nearest, exchange_host_nearest and exchange_latency_nearest. Empty: unknown.
  Json::Object conditions() const;

 private:
  const Communicator& ranks_;
  int first_ = -1;  // -1: another rank of the host measures, or none
  int last_ = -1;
  std::vector<double> seen_;
};

// The processor among `allowed` that is probably farthest from `cpu`, always the same: in another package, then on
// another core, then by distance of the numbers. `cpu` itself: there is no other.
int farthest(int cpu, const std::vector<int>& allowed);

}  // namespace banzuke
