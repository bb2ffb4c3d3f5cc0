#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/devices.hpp"
#include "core/gpu/choose.hpp"
#include "core/message.hpp"
#include "transfer.hpp"

namespace banzuke::transfer {
namespace {

constexpr std::int64_t most_bytes = std::int64_t{1} << 30U;
constexpr std::int64_t latency_most = std::int64_t{1} << 20U;
constexpr std::int64_t sample_bytes_moved = std::int64_t{1} << 28U;
constexpr std::int64_t least_copies = 2;
constexpr std::int64_t most_copies = 64;
constexpr std::int64_t gap = 256;  // alignment of device memory
constexpr std::int64_t pair_most = std::int64_t{64} << 20U;
// Twice or half the best chunk size is little slower, so it is enough to try a few sizes far apart.
constexpr std::int64_t least_chunk = std::int64_t{256} << 10U;
constexpr std::int64_t most_chunk = std::int64_t{16} << 20U;
constexpr std::int64_t chunk_step = 4;
constexpr double host_bytes = gpu::host_footprint + 2.0 * static_cast<double>(part_bytes);  // needed by any call
constexpr std::array paths{"pageable", "pinned",     "kernel",    "staged", "pipelined",
                           "peer",     "peer-write", "peer-read", "nccl",   "local"};

int ways(const Params& params) { return params.direction == "both" ? 2 : 1; }

bool may_be_held(const Params& params) {
  return params.test != "latency" && params.path != "pageable" && params.path != "nccl";
}

std::int64_t held_copies(const Params& params, std::int64_t size) {
  return most_held / (operations(params, size) * ways(params));
}

std::int64_t largest_of(const std::string& test) {
  if (test == "pairs") return pair_most;
  return test == "latency" ? latency_most : most_bytes;
}

// Throws a UsageError if the given devices cannot run the case. Devices that the program finds by itself are known only
// when it runs.
void check_devices(const Params& params) {
  const auto& given = given_devices().identities;
  if (given.empty()) return;
  const auto others = static_cast<std::int64_t>(given.size()) - 1;
  const auto there_are = [&] {
    std::string names;
    for (std::size_t i = 0; i < given.size(); ++i) {
      names += (i == 0 ? "" : ", ") + std::to_string(i) + " " + given[i];
    }
    return (others == 0 ? "1 is given: " : std::to_string(given.size()) + " are given: ") + names;
  };
  if (params.test == "pairs") {
    if (params.rounds <= others) return;
    throw UsageError(
        "rounds: a device cannot meet " + std::to_string(params.rounds) + " others, because " + there_are(),
        {{{"rounds", others}}});
  }
  if (!between_devices(params.path) || params.other <= others) return;
  if (others == 0) {
    throw UsageError("path " + params.path + " is between two devices, but " + there_are(), {{{"path", "pinned"}}});
  }
  throw UsageError("other: there is no device " + std::to_string(params.other) + ", because " + there_are(),
                   {{{"other", others}}});
}

void check(const Params& params, int ranks) {
  if (ranks != 1) {
    throw UsageError("one process drives all devices, so there is 1 rank, not " + std::to_string(ranks),
                     {{{"ranks", 1}}});
  }
  check_devices(params);
  if (params.test == "pairs") return;
  const bool of_host = !between_devices(params.path) && params.path != "local";
  if (params.direction == "to-host" && !of_host) {
    throw UsageError("path " + params.path +
                         " ends in no host memory: to-device is from the first device to the second, and --devices "
                         "names them in the other order",
                     {{{"direction", "to-device"}}});
  }
  if (params.direction == "both" && (params.path == "pageable" || params.path == "local")) {
    throw UsageError("path " + params.path + " goes one way at a time: " +
                         (params.path == "local" ? "it has no other way" : "the host waits for each copy"),
                     {{{"direction", "to-device"}}, {{"path", "pinned"}}});
  }
  if (params.direction == "both" && params.test == "latency") {
    throw UsageError("test latency is of one copy, so of one way", {{{"direction", "to-device"}}});
  }
  if (!sizes(params).empty()) return;
  std::vector<Json::Object> nearest{{{"min_size", message_sizes(1, params.max_size).back()}}};
  const auto above = message_sizes(params.min_size, largest_of(params.test));
  if (!above.empty()) nearest.push_back({{"max_size", above.front()}});
  throw UsageError("no power of two is a size from min_size " + std::to_string(params.min_size) + " to max_size " +
                       std::to_string(params.max_size) + " of test " + params.test,
                   std::move(nearest));
}

}  // namespace

void declare(Parameters& parameters, Params& params) {
  parameters.add("test", params.test, "what is measured", {"bandwidth", "latency", "pairs"});
  parameters.add("path", params.path, "how data gets from one memory to the other; not for pairs",
                 {paths.begin(), paths.end()});
  parameters.add("direction", params.direction,
                 "into the (second) device's memory, out of it, or both at once; not for pairs",
                 {"to-device", "to-host", "both"});
  parameters.add("other", params.other,
                 "the second device, by its position among those given, from 0; only for paths between two",
                 {.min = 1, .max = 1'000'000});
  parameters.add("min_size", params.min_size, "smallest transfer in bytes; not for pairs",
                 {.min = 1, .max = most_bytes});
  parameters.add("max_size", params.max_size, "largest transfer in bytes; for latency at most 1 MiB, for pairs 64 MiB",
                 {.min = 1, .max = most_bytes});
  parameters.add("chunk", params.chunk, "chunk size in bytes; 0: the fastest of a few; only for the path pipelined",
                 {.min = 0, .max = most_bytes});
  parameters.add("samples", params.samples, "timed samples of each size; for latency 15 times as many; not for pairs",
                 {.min = 3, .max = 10'000});
  parameters.add("rounds", params.rounds,
                 "partners of each device, near and far; 0: all, or 16 of more than 64 devices; only for pairs",
                 {.min = 0, .max = 1'000'000});
}

void settle(Parameters& parameters, Params& params) {
  const auto most = largest_of(params.test);
  if (parameters.given("max_size") && params.max_size > most) {
    throw UsageError("max_size: " + std::to_string(params.max_size) + " is more than " + std::to_string(most) +
                         ", the most of test " + params.test,
                     {{{"max_size", most}}}, "max_size");
  }
  if (params.test != "bandwidth" && !parameters.given("max_size")) {
    params.max_size = most;
    parameters.unused("max_size", "follows from the test");
  }
  if (params.test == "pairs") {
    for (const auto* name : {"path", "direction", "other", "min_size", "chunk", "samples"}) {
      parameters.unused(name, "test pairs copies one size between all memories, and has no use for it",
                        {{{"test", "bandwidth"}}});
    }
    return;
  }
  parameters.unused("rounds", "test " + params.test + " has no use for it, only pairs has", {{{"test", "pairs"}}});
  const std::string path = "path " + params.path;
  if (!between_devices(params.path)) {
    parameters.unused("other", path + " has no second device", {{{"path", "peer"}}});
  }
  if (params.path != "pipelined") {
    parameters.unused("chunk", path + " has no chunks, only pipelined has", {{{"path", "pipelined"}}});
  }
}

bool between_devices(const std::string& path) {
  return path == "staged" || path == "pipelined" || path.starts_with("peer") || path == "nccl";
}

std::vector<std::int64_t> chunks(const Params& params) {
  if (params.path != "pipelined" || params.test == "pairs") return {};
  if (params.chunk > 0) return {params.chunk};
  const auto largest = sizes(params).back();
  std::vector<std::int64_t> some;
  for (auto chunk = least_chunk; chunk <= most_chunk && 2 * chunk <= largest; chunk *= chunk_step)
    some.push_back(chunk);
  return some.empty() ? std::vector{largest} : some;
}

std::vector<std::int64_t> sizes(const Params& params) { return message_sizes(params.min_size, params.max_size); }

std::int64_t operations(const Params& params, std::int64_t size) {
  if (params.path != "staged" && params.path != "pipelined") return 1;
  constexpr std::int64_t of_a_piece = 6;  // two copies, two events, two waits
  return of_a_piece * (params.path == "staged" ? 1 : (size + params.chunk - 1) / params.chunk);
}

bool held(const Params& params, std::int64_t size) {
  return may_be_held(params) && held_copies(params, size) >= least_copies;
}

std::int64_t copies(const Params& params, std::int64_t size) {
  if (params.test == "latency") return 1;
  const auto wanted = std::clamp(sample_bytes_moved / size, least_copies, most_copies);
  return held(params, size) ? std::min(wanted, held_copies(params, size)) : wanted;
}

Slots slots(std::int64_t size, std::int64_t copies) {
  const std::int64_t stride = (size + gap - 1) / gap * gap + gap;
  return {.size = size, .stride = stride, .count = std::clamp(most_checked / stride, std::int64_t{1}, copies)};
}

std::int64_t buffer_bytes(const Params& params) {
  if (params.test == "pairs") return slots(matrix::size(params), 1).bytes();
  std::int64_t most = 0;
  for (const auto size : sizes(params)) most = std::max(most, slots(size, copies(params, size)).bytes());
  return most;
}

std::int64_t matrix::size(const Params& params) { return std::min(pair_most, params.max_size); }

Params with_chunk(const Params& params, std::int64_t chunk) {
  Params one = params;
  one.chunk = chunk;
  return one;
}

namespace {

Problem problem_of_pairs(const Params& params) {
  const auto buffer = static_cast<double>(buffer_bytes(params));
  return {.footprint = host_bytes + 2.0 * buffer,
          .device_footprint = 2.0 * buffer,
          .facts = {{"transfer_size", matrix::size(params)}}};
}

Problem problem_of_path(const Params& params) {
  const double each = static_cast<double>(buffer_bytes(params)) * ways(params);
  double host = host_bytes;
  if (params.path == "staged") host += each;
  if (params.path == "pipelined") {
    host += 2.0 * ways(params) * static_cast<double>(std::min(params.chunk, params.max_size));
  }
  if (!between_devices(params.path) && params.path != "local") host += each;
  double moved = 0.0;
  double queued = 0.0;
  for (const auto size : sizes(params)) {
    const auto often = static_cast<double>(copies(params, size) *
                                           (params.test == "latency" ? latency_samples(params) : params.samples + 1));
    queued += often * static_cast<double>(operations(params, size)) * ways(params);
    moved += often * static_cast<double>(size) * ways(params);
  }
  return {.footprint = host,
          .device_footprint = params.path == "local" ? 2.0 * each : each,
          .facts = {{"transferred_bytes", moved}, {"queued_operations", queued}}};
}

}  // namespace

Problem problem(const Params& params, int ranks) {
  check(params, ranks);
  if (params.test == "pairs") return problem_of_pairs(params);
  const auto tried = chunks(params);
  if (tried.empty()) return problem_of_path(params);
  Problem found = problem_of_path(with_chunk(params, tried.front()));
  for (std::size_t i = 1; i < tried.size(); ++i) {
    const Problem other = problem_of_path(with_chunk(params, tried[i]));
    found.footprint = std::max(found.footprint, other.footprint);
    found.device_footprint = std::max(found.device_footprint, other.device_footprint);
    found.facts = {};  // they depend on the chunk that is found to be the fastest
  }
  return found;
}

}  // namespace banzuke::transfer
