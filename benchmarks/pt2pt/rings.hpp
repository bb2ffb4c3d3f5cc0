// Rings of all ranks, and ping-pong of their pairs, as HPC Challenge 1.5.0 measures latency and bandwidth (b_eff).
//
//   ring       every rank sends a message to its right neighbour and one to its left, and receives one from each: with
//              two calls of MPI_Sendrecv, or with four messages at once; the faster counts. Half of the time of both
//   ping-pong  one pair after the other; half of each round trip
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pt2pt.hpp"

namespace banzuke::pt2pt::rings {

// How often what is measured: every order of the ring `measurements` times, `loop` exchanges each.
struct Protocol {
  std::int64_t size = 0;  // bytes of a message
  std::int64_t measurements = 0;
  std::int64_t loop = 0;
  int orders = 0;        // random ones; 0: ping-pong
  double seconds = 0.0;  // that all pairs may take
};

// The protocols of HPCC; `asked`: measurements instead, if it is positive.
Protocol ring_latency(std::int64_t asked);
Protocol ring_bandwidth(std::int64_t asked);
Protocol pair_latency(std::int64_t asked);
Protocol pair_bandwidth(std::int64_t asked);

// A loop that is timed takes at least this many seconds, because HPCC's clock has steps of 1 us.
inline constexpr double shortest_loop = 10e-6;
std::int64_t longer(std::int64_t loop);

// The ranks in the order of a ring: number 0 is the natural one; the others are permutations that follow from it.
std::vector<int> order(int ranks, int number);

struct Neighbours {
  int left = 0;
  int right = 0;
};
Neighbours neighbours(std::span<const int> order, int rank);

// HPCC's distance between ranks that take part in ping-pong, if one round trip of a pair takes `seconds` / 2.
int stride(const Protocol& protocol, double seconds, int ranks);
// The most pairs that this chooses, each in both roles.
double most_pairs(int ranks);

// A bound on a ring's rate through the busiest host: how many of its messages leave that host, in one direction.
int leaving(std::span<const int> order, std::span<const int> host_of_rank);

Problem problem(const Params& params, int ranks);
Result measure(const Params& params, const Context& context);

}  // namespace banzuke::pt2pt::rings
