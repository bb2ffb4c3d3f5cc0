// Which ranks share a host, and what comes to one from others.
#pragma once

#include <cstdint>
#include <vector>

#include "core/halo.hpp"

namespace banzuke {

// Ranks by host, as hosts are named.
struct Hosts {
  int fullest = 1;  // ranks on the host that has the most
  // Ranks of each host, where all have equally many and these follow one another; else 1.
  int block = 1;
  int count = 1;
  std::vector<int> of_rank{0};  // by rank: the number of its host, in the order of their first ranks
};

// Collective.
Hosts hosts_of(const Communicator& ranks);

// The largest of the hosts' sums of what their ranks have; collective.
double busiest_host(const Communicator& ranks, const Hosts& hosts, double mine);

// Rows that an exchange of halos brings to `rank` from ranks on other hosts.
std::int64_t rows_from_other_hosts(const std::vector<Halo::Neighbour>& neighbours, const Hosts& hosts, int rank);

}  // namespace banzuke
