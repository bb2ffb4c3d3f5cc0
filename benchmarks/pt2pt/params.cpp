#include <algorithm>
#include <string>

#include "pt2pt.hpp"

namespace banzuke::pt2pt {
namespace {

constexpr std::int64_t most_bytes = std::int64_t{1} << 30U;

}  // namespace

void declare(Parameters& parameters, Params& params) {
  parameters.add("test", params.test, "what is measured",
                 {"latency", "bandwidth", "bidirectional", "multi-pair", "pairs"});
  parameters.add("min_size", params.min_size, "smallest message in bytes; not of pairs", {.min = 0, .max = most_bytes});
  parameters.add("max_size", params.max_size, "largest message in bytes; not of pairs", {.min = 0, .max = most_bytes});
  parameters.add("window", params.window, "messages under way at once where bandwidth is measured",
                 {.min = 1, .max = 16384});
  parameters.add("iterations", params.iterations, "timed exchanges at every size; 0: as many as OSU 7.4",
                 {.min = 0, .max = 1'000'000});
}

std::int64_t buffer_bytes(const Params& params) {
  const std::int64_t largest = params.test == "pairs" ? matrix::bandwidth_size : params.max_size;
  if (params.test == "latency") return largest;
  return std::max(largest, std::min(params.window * largest, checked_at_once));
}

double footprint(const Params& params) {
  double samples = 0.0;
  if (params.test != "pairs") {
    for (const auto size : sizes(params)) samples += static_cast<double>(count(params, size).iterations);
  }
  const auto shared = static_cast<double>(std::min(params.max_size, direct_most));
  return 2.0 * static_cast<double>(buffer_bytes(params)) + shared + sample_bytes * samples;
}

void check(const Params& params, int ranks) {
  const auto refuse = [&](const std::string& why) {
    throw UsageError("test " + params.test + " " + why + ", not " + std::to_string(ranks));
  };
  if (params.test == "multi-pair") {
    if (ranks < 2 || ranks % 2 != 0) refuse("needs an even number of ranks");
  } else if (params.test == "pairs") {
    if (ranks < 2) refuse("needs 2 ranks or more");
    if (ranks > matrix::most_ranks) refuse("has at most " + std::to_string(matrix::most_ranks) + " ranks");
  } else if (ranks != 2) {
    refuse("needs 2 ranks");
  }
  if (params.test != "pairs" && sizes(params).empty()) {
    throw UsageError("no power of two is a message size from min_size " + std::to_string(params.min_size) +
                     " to max_size " + std::to_string(params.max_size) + " of test " + params.test);
  }
}

Exchange exchange(const Params& params) {
  if (params.test == "latency") return Exchange::latency;
  return params.test == "bidirectional" ? Exchange::bidirectional : Exchange::bandwidth;
}

std::vector<std::int64_t> sizes(const Params& params) {
  const std::int64_t least = params.test == "latency" ? 0 : 1;
  return message_sizes(std::max(least, params.min_size), params.max_size);
}

Count count(const Params& params, std::int64_t size) {
  constexpr Count bandwidth{.iterations = 100, .warm_up = 10};
  if (params.test == "latency") {
    return count_for(size, {.iterations = 10000, .warm_up = 100}, {.iterations = 1000, .warm_up = 10},
                     params.iterations);
  }
  // OSU's multiple-pair test has no rule for large messages.
  if (params.test == "multi-pair") return count_for(size, bandwidth, bandwidth, params.iterations);
  return count_for(size, bandwidth, {.iterations = 20, .warm_up = 2}, params.iterations);
}

double bytes_one_way(const Params& params, std::int64_t size) {
  const auto message = static_cast<double>(size);
  return params.test == "latency" ? message : message * static_cast<double>(params.window);
}

double bytes(const Params& params, std::int64_t size) {
  return (params.test == "bidirectional" ? 2.0 : 1.0) * bytes_one_way(params, size);
}

Side side(int rank, int ranks) {
  const int pairs = ranks / 2;
  return rank < pairs ? Side{.peer = rank + pairs, .first = true} : Side{.peer = rank - pairs, .first = false};
}

namespace matrix {

Count latency_count(const Params& params) {
  constexpr Count usual{.iterations = 100, .warm_up = 10};
  return count_for(latency_size, usual, usual, params.iterations);
}

Count bandwidth_count(const Params& params) {
  return {.iterations = std::max<std::int64_t>(3, latency_count(params).iterations / 20), .warm_up = 1};
}

// The circle method: all but the last rank turn, and who faces oneself meets the last. With an odd number the last does
// not exist.
int rounds(int ranks) { return ranks - (ranks % 2 == 0 ? 1 : 0); }

int partner(int rank, int round, int ranks) {
  const int turning = rounds(ranks);
  const int last = turning;
  if (rank == last) {
    // Whom 2 x = round (mod turning) holds for; `turning` is odd, so exactly one.
    return round % 2 == 0 ? round / 2 : (round + turning) / 2;
  }
  const int other = (round - rank + turning) % turning;
  if (other != rank) return other;
  return last < ranks ? last : -1;
}

}  // namespace matrix
}  // namespace banzuke::pt2pt
