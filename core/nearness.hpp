// How near to each other the processors of a job are, by the time that a cache line takes between the outermost ones
// of a host: a hypervisor moves virtual processors without a word, and figures follow.
#pragma once

#include <vector>

#include "core/communicator.hpp"
#include "core/json.hpp"

namespace banzuke {

class Nearness {
 public:
  // Collective. `processors`: those that this rank computes on, which are none where a device does; `allowed`: those
  // that it may use, among which a job of one processor on a host finds another one.
  Nearness(const Communicator& ranks, const std::vector<int>& processors, const std::vector<int>& allowed);

  // Collective, never while anything is timed. Milliseconds: one rank of each host measures, the others sleep.
  void look();

  // Collective; of the host whose processors were farthest apart, on rank 0: exchange_latency of the last look,
  // exchange_latency_before of the first, exchange_processors and, of several hosts, exchange_host, and of the one
  // where they were nearest exchange_host_nearest and exchange_latency_nearest. Empty: unknown.
  Json::Object conditions() const;

 private:
  const Communicator& ranks_;
  int first_ = -1;  // -1: another rank of the host measures, or none
  int last_ = -1;
  std::vector<double> seen_;
};

// Of the others among `allowed`, the one that is probably farthest from `cpu`, always the same: in another package, on
// another core, and then by its number. `cpu` itself: there is no other.
int farthest(int cpu, const std::vector<int>& allowed);

}  // namespace banzuke
