#include <algorithm>
#include <string>

#include "collectives.hpp"

namespace banzuke::collectives {
namespace {

// OSU's limit on the size of a send or receive buffer.
constexpr std::int64_t most_bytes = std::int64_t{512} << 20;

bool one_for_each(const Shape& shape) {
  return shape.sends.blocks == Blocks::each || shape.receives.blocks == Blocks::each;
}

std::int64_t largest(const Params& params, int ranks) {
  return std::min(params.max_size, one_for_each(shape_of(params)) ? most_bytes / ranks : most_bytes);
}

}  // namespace

void declare(Parameters& parameters, Params& params) {
  std::vector<std::string> names;
  names.reserve(shapes.size());
  for (const Shape& shape : shapes) names.emplace_back(shape.name);
  parameters.add("operation", params.operation, "collective operation", names);
  parameters.add("mode", params.mode, "non-blocking: with the share of it that a computation hides",
                 {"blocking", "non-blocking"});
  parameters.add("min_size", params.min_size, "bytes of the smallest message; sizes are powers of two",
                 {.min = 1, .max = most_bytes});
  parameters.add("max_size", params.max_size,
                 "bytes of the largest message; operations with a message for each rank stop at 512 MiB of them",
                 {.min = 1, .max = most_bytes});
  parameters.add("iterations", params.iterations,
                 "timed calls a size, after a tenth as many to warm up; 0: 1000 to 8 KiB and 100 above",
                 {.min = 0, .max = 1'000'000});
}

const Shape& shape_of(const Params& params) {
  return *std::ranges::find_if(shapes, [&](const Shape& shape) { return params.operation == shape.name; });
}

bool blocking(const Params& params) { return params.mode == "blocking"; }

Problem problem(const Params& params, int ranks) {
  if (ranks < 2) throw UsageError("a collective operation needs at least 2 ranks, but there is 1", {{{"ranks", 2}}});
  const auto all = sizes(params, ranks);
  const Shape& shape = shape_of(params);
  const double blocks = one_for_each(shape) ? ranks : 1.0;
  double samples = 0.0;  // per call: mean and slowest rank; if non-blocking, also the pure time
  double calls = 0.0;
  double bytes = 0.0;
  for (const std::int64_t size : all) {
    const Count often = count(params, size);
    samples += (blocking(params) ? 2.0 : 3.0) * static_cast<double>(often.iterations);
    calls += static_cast<double>(often.iterations + often.warm_up);
    bytes += static_cast<double>(often.iterations + often.warm_up) * blocks * static_cast<double>(size);
  }
  const auto buffers =
      elements(shape.sends, all.back(), root, ranks) + elements(shape.receives, all.back(), root, ranks);
  return {.footprint = static_cast<double>(buffers) + sample_bytes * samples,
          .facts = {{"calls", calls}, {"blocks", blocks}, {"call_bytes", bytes}}};
}

std::vector<std::int64_t> sizes(const Params& params, int ranks) {
  if (shape_of(params).sends.blocks == Blocks::none) return {0};
  if (params.min_size > params.max_size) {
    throw UsageError("min_size: " + std::to_string(params.min_size) + " is more than max_size, which is " +
                         std::to_string(params.max_size),
                     {{{"min_size", params.max_size}}, {{"max_size", params.min_size}}});
  }
  const std::int64_t last = largest(params, ranks);
  auto all = message_sizes(params.min_size, last);
  if (all.empty()) {
    throw UsageError("min_size, max_size: there is no power of two from " + std::to_string(params.min_size) + " to " +
                         std::to_string(last) +
                         (last < params.max_size ? ", the most that " + params.operation + " has with " +
                                                       std::to_string(ranks) + " ranks: 512 MiB of messages"
                                                 : ""),
                     last > 0 ? std::vector<Json::Object>{{{"min_size", message_sizes(1, last).back()}}}
                              : std::vector<Json::Object>{});
  }
  return all;
}

Count count(const Params& params, std::int64_t size) {
  constexpr Count many{.iterations = 1000, .warm_up = 100};
  constexpr Count few{.iterations = 100, .warm_up = 10};
  // OSU measures the non-blocking barrier with few iterations.
  const bool non_blocking_barrier = !blocking(params) && shape_of(params).sends.blocks == Blocks::none;
  return count_for(size, non_blocking_barrier ? few : many, few, params.iterations);
}

std::int64_t elements(const Side& side, std::int64_t size, int rank, int ranks) {
  if (side.root_only && rank != root) return 0;
  switch (side.blocks) {
    case Blocks::none:
      return 0;
    case Blocks::part:
      return size / ranks + (rank < size % ranks ? 1 : 0);
    case Blocks::one:
      return size;
    case Blocks::each:
      return size * ranks;
  }
  return 0;
}

}  // namespace banzuke::collectives
