#include "core/hosts.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace banzuke {
namespace {

std::size_t index(int value) { return static_cast<std::size_t>(value); }

}  // namespace

Hosts hosts_of(const Communicator& ranks) {
  std::vector<double> numbers(index(ranks.size()));
  if (ranks.rank() == 0) {
    std::map<std::string, double> known;
    std::ranges::transform(ranks.gather(Communicator::host()), numbers.begin(), [&](const std::string& name) {
      return known.try_emplace(name, static_cast<double>(known.size())).first->second;
    });
  } else {
    ranks.gather(Communicator::host());
  }
  ranks.maximum(numbers);  // only rank 0 has the names
  Hosts hosts;
  hosts.of_rank.assign(numbers.begin(), numbers.end());
  hosts.count = 1 + std::ranges::max(hosts.of_rank);
  std::vector<int> counts(index(hosts.count));
  for (const int host : hosts.of_rank) ++counts[index(host)];
  hosts.fullest = std::ranges::max(counts);
  const bool equal = std::ranges::min(counts) == hosts.fullest;
  hosts.block = equal && std::ranges::is_sorted(hosts.of_rank) ? hosts.fullest : 1;
  return hosts;
}

double busiest_host(const Communicator& ranks, const Hosts& hosts, double mine) {
  std::vector<double> sums(index(hosts.count));
  sums[index(hosts.of_rank[index(ranks.rank())])] = mine;
  ranks.sum(sums);
  return std::ranges::max(sums);
}

std::int64_t rows_from_other_hosts(const std::vector<Halo::Neighbour>& neighbours, const Hosts& hosts, int rank) {
  std::int64_t rows = 0;
  for (const auto& neighbour : neighbours) {
    const bool elsewhere = hosts.of_rank[index(neighbour.rank)] != hosts.of_rank[index(rank)];
    rows += elsewhere ? neighbour.receive : 0;
  }
  return rows;
}

}  // namespace banzuke
