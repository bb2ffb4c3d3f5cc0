#include <unistd.h>

#include <omp.h>

#include <algorithm>
#include <string>

#include "core/pair_schedule.hpp"
#include "memory.hpp"
#include "pairs.hpp"
#include "ring.hpp"
#include "streams.hpp"

namespace banzuke::memory {

void declare(Parameters& parameters, Params& params) {
  constexpr std::int64_t most_bytes = std::int64_t{1} << 40U;
  parameters.add("test", params.test, "what is measured", {"bandwidth", "latency", "gather", "loaded", "pairs"});
  parameters.add("loop", params.loop, "what is done with arrays; of bandwidth alone",
                 {"load", "store", "copy", "triad"});
  parameters.add("order", params.order,
                 "of the loads: random across all pages, or all of a page, in random order, before the next; of "
                 "latency alone",
                 {"across", "within"});
  parameters.add("data_pages", params.data_pages,
                 "what the data lies on: as --pages says, or base pages; of latency alone", {"usual", "base"});
  parameters.add("min_size", params.min_size, "smallest data of a thread in bytes; not of pairs",
                 {.min = 1, .max = most_bytes});
  parameters.add("max_size", params.max_size, "largest data of a thread in bytes; not of pairs",
                 {.min = 1, .max = most_bytes});
  parameters.add("rounds", params.rounds, "samples of each size, and tens of them of each pair",
                 {.min = 3, .max = 10'000});
  parameters.add("sample_us", params.sample_us, "microseconds of a sample, about; not of pairs",
                 {.min = 100, .max = 10'000'000});
  parameters.add(
      "partners", params.partners,
      "ranks that each rank meets, near and far ones; 0: every other, or 64 of more than 256; of pairs alone",
      {.min = 0, .max = 1'000'000});
  parameters.add("streams", params.streams,
                 "threads that read beside the one whose latency counts; 0: all; of loaded alone",
                 {.min = 0, .max = 100'000});
}

void settle(Parameters& parameters, Params& params) {
  const auto only = [&](const char* name, const char* test) {
    if (params.test == test) return;
    parameters.unused(name, "test " + params.test + " has no use for it, only " + test + " has", {{{"test", test}}});
  };
  only("loop", "bandwidth");
  only("order", "latency");
  only("data_pages", "latency");
  only("partners", "pairs");
  only("streams", "loaded");
  if (params.test == "loaded") {
    parameters.unused("min_size", "test loaded has one size, max_size", {{{"test", "latency"}}});
  }
  if (params.test != "pairs") return;
  for (const auto* name : {"min_size", "max_size", "sample_us"}) {
    parameters.unused(name, "test pairs has one cache line, and no use for it", {{{"test", "latency"}}});
  }
}

std::int64_t cache_line() {
#ifdef _SC_LEVEL1_DCACHE_LINESIZE
  const long line = sysconf(_SC_LEVEL1_DCACHE_LINESIZE);
  if (line >= least_line && line <= 4096) return line;
#endif
  return 64;
}

std::int64_t least_size(const Params& params) {
  if (params.test == "latency" || params.test == "gather") return 2 * cache_line();
  return arrays_of(loop_named(params.loop)) * static_cast<std::int64_t>(grain * sizeof(double));
}

std::vector<std::int64_t> sizes(const Params& params, const std::vector<std::int64_t>& more) {
  const auto inside = [&](std::int64_t size) { return params.min_size <= size && size <= params.max_size; };
  std::vector<std::int64_t> all;
  for (std::int64_t power = 2; power <= params.max_size; power *= 2) {
    for (const std::int64_t size : {power, power + power / 2}) {
      if (inside(size)) all.push_back(size);
    }
  }
  for (const std::int64_t size : more) {
    if (inside(size)) all.push_back(size);
  }
  std::ranges::sort(all);
  const auto twice = std::ranges::unique(all);
  all.erase(twice.begin(), twice.end());
  return all;
}

namespace {

// Returns the problem of test pairs. Throws a UsageError if there is no pair, or if a rank has several processors.
Problem problem_of_pairs(const Params& params, int ranks) {
  if (ranks < 2) {
    throw UsageError(
        "test pairs is between ranks with a processor each and needs 2 or more, not " + std::to_string(ranks),
        {{{"ranks", 2}}});
  }
  if (omp_get_max_threads() > 1) {
    throw UsageError("test pairs is between ranks with a processor each, not " + std::to_string(omp_get_max_threads()) +
                     " threads");
  }
  const PairSchedule schedule(partners_of(params, ranks), ranks);
  const std::int64_t pairs = std::int64_t{ranks / 2} * schedule.rounds();  // if odd, one pauses in each round
  constexpr double figure_bytes = 104.0;
  return {.footprint = figure_bytes * static_cast<double>(pairs), .facts = {{"pairs", pairs}}};
}

// Returns the problem of test loaded. Throws a UsageError without threads that could stream.
Problem problem_of_loaded(const Params& params, int ranks) {
  const std::int64_t threads = omp_get_max_threads();
  if (ranks != 1 || threads < 2) {
    throw UsageError("test loaded is of one rank with 2 or more threads, not of " + std::to_string(ranks) + " x " +
                     std::to_string(threads));
  }
  if (params.streams >= threads) {
    throw UsageError("streams: of " + std::to_string(threads) + " threads, at most " + std::to_string(threads - 1) +
                         " can read beside the one whose latency counts",
                     {{{"streams", threads - 1}}});
  }
  constexpr std::int64_t least = std::int64_t{64} << 10U;
  if (params.max_size < least) {
    throw UsageError("max_size: test loaded is of memory, and takes at least " + std::to_string(least) + " bytes",
                     {{{"max_size", least}}});
  }
  return {.footprint = static_cast<double>(params.max_size) * static_cast<double>(threads)};
}

}  // namespace

Problem problem(const Params& params, int ranks) {
  if (params.test == "pairs") return problem_of_pairs(params, ranks);
  if (params.test == "loaded") return problem_of_loaded(params, ranks);
  const std::int64_t least = least_size(params);
  if (params.min_size < least) {
    throw UsageError("min_size: " + std::to_string(params.min_size) + " bytes are less than the " +
                         std::to_string(least) + " of test " + params.test +
                         (params.test != "bandwidth" ? ", two cache lines of " + std::to_string(cache_line()) + " bytes"
                                                     : " with loop " + params.loop),
                     {{{"min_size", least}}});
  }
  if (sizes(params).empty()) {
    throw UsageError("no size is a power of two, or half as much more, from min_size " +
                         std::to_string(params.min_size) + " to max_size " + std::to_string(params.max_size),
                     {{{"max_size", 2 * params.min_size}}});
  }
  const double data = static_cast<double>(params.max_size) * omp_get_max_threads();
  if (params.test == "bandwidth") return {.footprint = data};
  constexpr double plan_of_line = sizeof(std::int64_t);  // index of the next line, kept while the cycle is linked
  return {.footprint = data * (1.0 + plan_of_line / static_cast<double>(cache_line()))};
}

}  // namespace banzuke::memory
