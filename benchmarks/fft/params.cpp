#include "fft.hpp"

#include <algorithm>

#include "core/all_to_all.hpp"

namespace banzuke::fft {

void declare(Parameters& parameters, Params& params) {
  parameters.add("n", params.n, "complex numbers over all ranks, with the prime factors 2, 3 and 5 alone",
                 {.min = 2, .max = longest});
  parameters.add("rounds", params.rounds, "timed transforms", {.min = 1, .max = 1'000'000});
  parameters.add("order", params.order,
                 "of input and output over the ranks; cyclic: with one exchange between ranks instead of three",
                 {"natural", "cyclic"});
  parameters.add("stores", params.stores, "past the caches, or through them", {"nontemporal", "plain"});
  parameters.add("planning", params.planning, "how FFTW chooses its method, before the clock starts",
                 {"measure", "estimate"});
  if (!of_devices) {
    parameters.add("transforms", params.transforms, "one over all ranks, or an own one of n numbers on each",
                   {"one", "own"});
    return;
  }
  parameters.add("dimensions", params.dimensions, "of the transform: 1, or 3 of a cube of n numbers",
                 {.min = 1, .max = 3});
  parameters.add("transform", params.transform, "whose transform is called: our own, or the library's",
                 {"own", "library"});
}

std::int64_t edge_of(std::int64_t n) {
  const auto edge = std::llround(std::cbrt(static_cast<double>(n)));
  if (edge * edge * edge == n) return edge;
  const std::int64_t below = edge * edge * edge < n ? edge : edge - 1;
  std::vector<Json::Object> nearest;
  for (const std::int64_t other : {below, below + 1}) {
    if (other > 1) nearest.push_back({{"n", other * other * other}});
  }
  throw UsageError("n: " + std::to_string(n) + " is not the cube of a whole number", nearest);
}

Problem problem_on_host(const Params& params, int all) {
  const int ranks = sharing(params, all);
  if (ranks > most_ranks) {
    throw UsageError("ranks: this library's transforms are of " + std::to_string(most_ranks) + " rank",
                     {{{"ranks", most_ranks}}});
  }
  const Split lengths = split(params.n, ranks);
  const std::int64_t own = params.n / ranks;
  // The intermediate result between the two kinds of transforms is padded to whole vectors, forward and backward.
  const auto padding = [&](std::int64_t length) {
    const std::int64_t block = length / ranks;
    const std::int64_t whole = (block + lanes - 1) / lanes * lanes;
    return static_cast<double>(whole) / static_cast<double>(block);
  };
  const double padded = std::max(padding(lengths.n1), padding(lengths.n2));
  const bool all_padded = ranks > 1 && params.order == "natural";
  double vectors = all_padded ? 4.0 * padded : 2.0 + (ranks > 1 ? 2.0 : 1.0) * padded;
  // Buffers in which AllToAll combines short messages to one host.
  const double part = 16.0 * static_cast<double>(own) / ranks / most_pieces;
  if (ranks > 1 && part < static_cast<double>(AllToAll::short_part)) vectors += (all_padded ? 3.0 : 1.0) * padded;
  return {.footprint = 16.0 * static_cast<double>(own) * vectors, .facts = {{"n1", lengths.n1}, {"n2", lengths.n2}}};
}

Work work(std::int64_t n, int ranks, int fullest, int exchanges) {
  const auto points = static_cast<double>(n);
  const double flops = 5.0 * points * std::log2(points);
  Work all{.counted = flops, .demand = {{"memory.bytes", 64.0 * points}, {"flops.fp64", flops}}};
  if (!of_devices) all.demand.push_back({.resource = "flops.fft", .amount = flops});
  // In each exchange, each rank sends n / ranks^2 numbers to each other rank.
  const double pairs = static_cast<double>(fullest) * static_cast<double>(ranks - fullest);
  if (pairs > 0.0) {
    const double each = 16.0 * points / static_cast<double>(ranks) / static_cast<double>(ranks);
    all.demand.push_back({.resource = "link.bytes", .amount = exchanges * pairs * each, .busiest = "host"});
  }
  return all;
}

}  // namespace banzuke::fft
