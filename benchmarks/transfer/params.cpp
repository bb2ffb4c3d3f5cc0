#include <algorithm>
#include <array>
#include <string>
#include <utility>

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
constexpr std::int64_t gap = 256;  // what devices align memory to
constexpr std::array paths{"pageable", "pinned",     "kernel",    "staged", "pipelined",
                           "peer",     "peer-write", "peer-read", "nccl",   "local"};

int ways(const Params& params) { return params.direction == "both" ? 2 : 1; }

bool may_be_held(const Params& params) {
  return params.test != "latency" && params.path != "pageable" && params.path != "nccl";
}

std::int64_t held_copies(const Params& params, std::int64_t size) {
  return most_held / (operations(params, size) * ways(params));
}

void check(const Params& params, int ranks) {
  if (ranks != 1) {
    throw UsageError("one process drives all devices, so there is 1 rank, not " + std::to_string(ranks),
                     {{{"ranks", 1}}});
  }
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
  throw UsageError("no power of two is a size from min_size " + std::to_string(params.min_size) + " to max_size " +
                       std::to_string(params.max_size) + " of test " + params.test,
                   {{{"min_size", 1}}});
}

}  // namespace

void declare(Parameters& parameters, Params& params) {
  parameters.add("test", params.test, "what is measured", {"bandwidth", "latency", "pairs"});
  parameters.add("path", params.path, "how data gets from one memory to the other; not of pairs",
                 {paths.begin(), paths.end()});
  parameters.add("direction", params.direction, "into the (second) device's memory, out of it, or both at once",
                 {"to-device", "to-host", "both"});
  parameters.add("other", params.other, "the second device, by its position among those given, from 0",
                 {.min = 1, .max = 1'000'000});
  parameters.add("min_size", params.min_size, "smallest transfer in bytes; not of pairs",
                 {.min = 1, .max = most_bytes});
  parameters.add("max_size", params.max_size, "largest transfer in bytes; of latency 1 MiB, of pairs 64 MiB at most",
                 {.min = 1, .max = most_bytes});
  parameters.add("chunk", params.chunk, "bytes that are copied at once; of the path pipelined alone",
                 {.min = 1, .max = most_bytes});
  parameters.add("samples", params.samples, "timed samples of every size; of latency 15 times as many",
                 {.min = 3, .max = 10'000});
  parameters.add("rounds", params.rounds,
                 "other devices that each device meets, near and far ones; 0: all up to 64 devices, else 16; of pairs "
                 "alone",
                 {.min = 0, .max = 1'000'000});
}

bool between_devices(const std::string& path) {
  return path == "staged" || path == "pipelined" || path.starts_with("peer") || path == "nccl";
}

std::vector<std::int64_t> sizes(const Params& params) {
  const auto most = params.test == "latency" ? std::min(params.max_size, latency_most) : params.max_size;
  return message_sizes(params.min_size, most);
}

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

std::int64_t matrix::size(const Params& params) { return std::min(std::int64_t{64} << 20U, params.max_size); }

Problem problem(const Params& params, int ranks) {
  check(params, ranks);
  const auto buffer = static_cast<double>(buffer_bytes(params));
  const double checked = 2.0 * static_cast<double>(part_bytes);
  double host = gpu::host_footprint + checked;
  double device = 0.0;
  double moved = 0.0;
  double queued = 0.0;
  if (params.test == "pairs") {
    host += 2.0 * buffer;
    device = 2.0 * buffer;
  } else {
    const double each = buffer * ways(params);
    device = params.path == "local" ? 2.0 * buffer : each;
    if (params.path == "staged") host += each;
    if (params.path == "pipelined")
      host += 2.0 * ways(params) * static_cast<double>(std::min(params.chunk, params.max_size));
    if (!between_devices(params.path) && params.path != "local") host += each;
    for (const auto size : sizes(params)) {
      const auto often = static_cast<double>(copies(params, size) *
                                             (params.test == "latency" ? latency_samples(params) : params.samples + 1));
      queued += often * static_cast<double>(operations(params, size)) * ways(params);
      moved += often * static_cast<double>(size) * ways(params);
    }
  }
  return {.footprint = host,
          .device_footprint = device,
          .facts = {{"transferred_bytes", moved}, {"queued_operations", queued}}};
}

}  // namespace banzuke::transfer
