#include "rings.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "core/random.hpp"

namespace banzuke::pt2pt::rings {
namespace {

constexpr std::int64_t small = 8;
constexpr std::int64_t large = 2'000'000;
constexpr double ways = 2.0;    // of exchanging the messages of a ring
constexpr double copied = 6.0;  // messages that a rank has in memory: two out, two in, two shared
// Exchanges of a loop that is made longer than HPCC's first proposal, for estimates.
constexpr double usual_loop = 20.0;

Protocol changed(Protocol protocol, std::int64_t asked) {
  if (asked > 0) protocol.measurements = asked;
  return protocol;
}

}  // namespace

Protocol ring_latency(std::int64_t asked) {
  return changed({.size = small, .measurements = 8, .loop = 5, .orders = 30}, asked);
}
Protocol ring_bandwidth(std::int64_t asked) {
  return changed({.size = large, .measurements = 3, .loop = 2, .orders = 10}, asked);
}
Protocol pair_latency(std::int64_t asked) {
  return changed({.size = small, .measurements = 5, .loop = 8, .seconds = 10.0}, asked);
}
Protocol pair_bandwidth(std::int64_t asked) {
  return changed({.size = large, .measurements = 2, .loop = 1, .seconds = 30.0}, asked);
}

std::int64_t longer(std::int64_t loop) { return loop == 1 ? 2 : loop + loop / 2; }

std::vector<int> order(int ranks, int number) {
  std::vector<int> all(static_cast<std::size_t>(ranks));
  std::iota(all.begin(), all.end(), 0);
  if (number == 0) return all;
  const std::uint64_t seed = mix(static_cast<std::uint64_t>(number));
  for (std::size_t left = all.size(); left > 1; --left) {
    const std::uint64_t drawn = mix(seed + static_cast<std::uint64_t>(left) * mix_step);
    std::swap(all[left - 1], all[static_cast<std::size_t>(drawn % left)]);
  }
  return all;
}

Neighbours neighbours(std::span<const int> order, int rank) {
  const auto at = static_cast<std::size_t>(std::ranges::find(order, rank) - order.begin());
  return {.left = order[(at + order.size() - 1) % order.size()], .right = order[(at + 1) % order.size()]};
}

int stride(const Protocol& protocol, double seconds, int ranks) {
  const double loop = std::max(2.0 * seconds * static_cast<double>(protocol.loop + 1), shortest_loop);
  const double pairs = std::floor(protocol.seconds / (loop * static_cast<double>(protocol.measurements)));
  const double pings = std::max(5.0, std::floor(std::sqrt(pairs)));
  int apart = std::max(1, static_cast<int>(static_cast<double>(ranks) / pings + 0.9));
  if (apart == 2) return 3;
  const auto composite = [](int number) {
    for (int i = 2; i * i <= number; ++i) {
      if (number % i == 0) return true;
    }
    return false;
  };
  while (apart > 3 && composite(apart) && apart <= ranks / 3) ++apart;
  return apart;
}

double most_pairs(int ranks) {
  const auto most = pair_latency(0);
  const double taking_part =
      std::min<double>(ranks, std::sqrt(most.seconds / (shortest_loop * static_cast<double>(most.measurements))) + 1.0);
  return taking_part * taking_part;
}

int leaving(std::span<const int> order, std::span<const int> host_of_rank) {
  std::map<int, int> by_host;
  const auto host = [&](int rank) { return host_of_rank[static_cast<std::size_t>(rank)]; };
  for (std::size_t i = 0; i < order.size(); ++i) {
    const int here = host(order[i]);
    const int next = host(order[(i + 1) % order.size()]);
    if (here == next) continue;
    ++by_host[here];  // to the right
    ++by_host[next];  // to the left
  }
  int most = 0;
  for (const auto& [name, counted] : by_host) most = std::max(most, counted);
  return most;
}

Problem problem(const Params& params, int ranks) {
  struct Amount {
    double messages = 0.0;
    double bytes = 0.0;
  };
  const auto add = [](Amount& to, const Protocol& protocol, double times, double at_once) {
    const double loop = protocol.size == small ? usual_loop : static_cast<double>(protocol.loop);
    const double sent = times * at_once * static_cast<double>(protocol.measurements) * (loop + 1.0);
    to.messages += sent;
    to.bytes += sent * static_cast<double>(protocol.size);
  };
  Amount of_rings;
  Amount alone;  // while all others wait
  for (const Protocol& ring : {ring_latency(params.iterations), ring_bandwidth(params.iterations)}) {
    add(of_rings, ring, ring.orders + 1.0, 2.0 * ways);
  }
  const double pairs = most_pairs(ranks);
  add(alone, pair_latency(params.iterations), pairs, 2.0);
  add(alone, pair_bandwidth(params.iterations), pairs, 2.0);
  return {.footprint = copied * static_cast<double>(large) + 4.0 * 8.0 * pairs + 2.0 * sample_bytes * pairs,
          .facts = {{"pair_messages", of_rings.messages},
                    {"pair_bytes", of_rings.bytes},
                    {"alone_messages", alone.messages},
                    {"alone_bytes", alone.bytes}}};
}

}  // namespace banzuke::pt2pt::rings
