#include <algorithm>
#include <string>
#include <utility>

#include "core/gpu/choose.hpp"
#include "pt2pt.hpp"
#include "rings.hpp"

namespace banzuke::pt2pt {
namespace {

constexpr std::int64_t most_bytes = std::int64_t{1} << 30U;
constexpr double figure_bytes = 104.0;  // per rank and round, on rank 0: gathered figures and the record's lists
constexpr std::int64_t untimed = 6;     // approximate number of exchanges that are checked or copied directly

void check(const Params& params, int ranks) {
  const auto refuse = [&](const std::string& why, std::vector<Json::Object> nearest) {
    throw UsageError("test " + params.test + " " + why + ", not " + std::to_string(ranks), std::move(nearest));
  };
  if (ranks < 2) refuse("needs 2 ranks or more", {{{"ranks", 2}}});
  if (params.test == "multi-pair") {
    if (ranks % 2 != 0) refuse("needs an even number of ranks", {{{"ranks", ranks - 1}}, {{"ranks", ranks + 1}}});
  } else if (params.test == "pairs") {
    if (params.rounds >= ranks) {
      throw UsageError("rounds: each of " + std::to_string(ranks) + " ranks meets at most " +
                           std::to_string(ranks - 1) + " others, not " + std::to_string(params.rounds),
                       {{{"rounds", ranks - 1}}});
    }
    const std::int64_t of_a_round = ranks / 2;
    const std::int64_t pairs = of_a_round * PairSchedule(params.rounds, ranks).rounds();
    if (pairs > matrix::most_pairs) {
      std::vector<Json::Object> nearest{{{"ranks", matrix::most_ranks}}};
      if (const auto rounds = matrix::most_pairs / of_a_round; rounds > 0) nearest.push_back({{"rounds", rounds}});
      throw UsageError("test pairs of " + std::to_string(ranks) + " ranks has " + std::to_string(pairs) +
                           " pairs, more than the " + std::to_string(matrix::most_pairs) + " that a record holds",
                       std::move(nearest));
    }
  } else if (params.test != "rings" && ranks != 2) {
    const Json of_many = ranks % 2 == 0 ? "multi-pair" : "pairs";
    refuse("is between 2 ranks", {{{"ranks", 2}}, {{"test", of_many}}});
  }
  if (params.test == "pairs" && on_device(params, true) != on_device(params, false)) {
    throw UsageError(
        "every rank of test pairs is the first of some pairs and the second of others: its messages lie "
        "in one kind of memory",
        {{{"buffers", "device"}}, {{"buffers", "host"}}});
  }
  if (params.test == "rings" && (on_device(params, true) || on_device(params, false))) {
    throw UsageError("the messages of test rings lie in the host's memory", {{{"buffers", "host"}}});
  }
  if (params.test == "pairs" || params.test == "rings" || !sizes(params).empty()) return;
  throw UsageError("no power of two is a message size from min_size " + std::to_string(params.min_size) +
                       " to max_size " + std::to_string(params.max_size) + " of test " + params.test,
                   {{{"max_size", message_sizes(std::max<std::int64_t>(1, params.min_size), most_bytes).front()}}});
}

}  // namespace

void declare(Parameters& parameters, Params& params) {
  parameters.add("test", params.test, "what is measured",
                 {"latency", "bandwidth", "bidirectional", "multi-pair", "pairs", "rings"});
  parameters.add("min_size", params.min_size, "smallest message in bytes; not of pairs and rings",
                 {.min = 0, .max = most_bytes});
  parameters.add("max_size", params.max_size, "largest message in bytes; not of pairs and rings",
                 {.min = 0, .max = most_bytes});
  parameters.add("window", params.window, "messages under way at once where bandwidth is measured",
                 {.min = 1, .max = 16384});
  parameters.add("iterations", params.iterations,
                 "timed exchanges at every size, measurements of rings; 0: as many as OSU 7.4, HPCC 1.5",
                 {.min = 0, .max = 1'000'000});
  parameters.add("rounds", params.rounds,
                 "ranks that each rank meets, near and far ones; 0: every other; of pairs alone",
                 {.min = 0, .max = 1'000'000});
  const auto kinds = buffer_kinds();
  params.buffers = kinds.front();
  if (kinds.size() == 1) return;
  parameters.add("buffers", params.buffers, "where messages lie, and how they get to MPI", kinds);
  parameters.add("chunk", params.chunk, "bytes that are copied and sent at once; of pipelined buffers alone",
                 {.min = 1, .max = most_bytes});
}

bool on_device(const Params& params, bool first) {
  if (params.buffers == "host-device") return !first;
  if (params.buffers == "device-host") return first;
  return params.buffers != "host";
}

bool staged(const Params& params) { return params.buffers == "staged" || params.buffers == "pipelined"; }

std::int64_t piece_bytes(const Params& params) {
  const std::int64_t largest = params.test == "pairs" ? matrix::bandwidth_size : params.max_size;
  return params.buffers == "pipelined" ? std::min(params.chunk, largest) : largest;
}

std::int64_t buffer_bytes(const Params& params) {
  const std::int64_t largest = params.test == "pairs" ? matrix::bandwidth_size : params.max_size;
  if (params.test == "latency") return largest;
  return std::max(largest, std::min(params.window * largest, checked_at_once));
}

Problem problem(const Params& params, int ranks) {
  check(params, ranks);
  if (params.test == "rings") return rings::problem(params, ranks);
  const auto shared = static_cast<double>(std::min(params.max_size, direct_most));
  double footprint = 2.0 * static_cast<double>(buffer_bytes(params)) + shared;
  double messages = 0.0;
  double bytes = 0.0;
  const auto add = [&](std::int64_t size, Count often, std::int64_t at_once) {
    const auto sent = static_cast<double>(at_once * (often.iterations + often.warm_up + untimed));
    messages += sent;
    bytes += sent * static_cast<double>(size);
  };
  if (params.test == "pairs") {
    add(matrix::latency_size, matrix::latency_count(params), 2);
    for (int way = 0; way < 2; ++way) {
      add(matrix::bandwidth_size, matrix::bandwidth_count(params), params.window);
    }
    const int rounds = PairSchedule(params.rounds, ranks).rounds();
    messages *= rounds;
    bytes *= rounds;
    footprint += figure_bytes * ranks * rounds;
  } else {
    for (const auto size : sizes(params)) {
      add(size, count(params, size), params.test == "latency" ? 2 : params.window);
      footprint += sample_bytes * static_cast<double>(count(params, size).iterations);
    }
  }
  double of_device = 0.0;
  if (on_device(params, true) || on_device(params, false)) {
    of_device = 2.0 * static_cast<double>(buffer_bytes(params));
    footprint +=
        gpu::host_footprint + static_cast<double>(piece_bytes(params)) * 2.0 * (staged(params) ? pieces_under_way : 1);
  }
  return {.footprint = footprint,
          .device_footprint = of_device,
          .facts = {{"pair_messages", messages}, {"pair_bytes", bytes}}};
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
  // In OSU's multiple-pair test, large messages have the same number of iterations.
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

}  // namespace matrix
}  // namespace banzuke::pt2pt
