// Finds which ranks share a host, and how much a rank receives from other hosts.
#pragma once

#include <cstdint>
#include <vector>

#include "core/halo.hpp"

namespace banzuke {

// Ranks by host; hosts are distinguished by name.
struct Hosts {
  int fullest = 1;  // number of ranks on the fullest host
  // Ranks on each host, if all have equally many and these are consecutive; else 1.
  int block = 1;
  int count = 1;
  std::vector<int> of_rank{0};  // host number by rank; hosts are numbered in the order of their first ranks
};

// Collective.
Hosts hosts_of(const Communicator& ranks);

// The maximum over hosts of the sum of `mine` over a host's ranks. Collective.
double busiest_host(const Communicator& ranks, const Hosts& hosts, double mine);

// Rows that `rank` receives from ranks on other hosts in a halo exchange.
std::int64_t rows_from_other_hosts(const std::vector<Halo::Neighbour>& neighbours, const Hosts& hosts, int rank);

}  // namespace banzuke
