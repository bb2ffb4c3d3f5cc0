#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "core/cpulist.hpp"
#include "core/memory.hpp"
#include "core/pair_schedule.hpp"
#include "levels.hpp"
#include "memory.hpp"
#include "pairs.hpp"
#include "ring.hpp"
#include "streams.hpp"
#include "threads.hpp"

namespace banzuke::memory {

void declare(Parameters& parameters, Params& params) {
  constexpr std::int64_t most_bytes = std::int64_t{1} << 40U;
  parameters.add("test", params.test, "what is measured",
                 {"bandwidth", "latency", "gather", "loaded", "pairs", "numa"});
  parameters.add("loop", params.loop, "what is done with arrays; of bandwidth alone",
                 {"load", "store", "copy", "triad"});
  parameters.add("isa", params.isa, "instruction set of the loop; of bandwidth alone",
                 {isa_names.begin(), isa_names.end()});
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
  only("isa", "bandwidth");
  only("order", "latency");
  only("data_pages", "latency");
  only("partners", "pairs");
  only("streams", "loaded");
  if (params.test == "loaded" || params.test == "numa") {
    parameters.unused("min_size", "test " + params.test + " has one size, max_size", {{{"test", "latency"}}});
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

double owners_of_data() { return omp_get_max_threads(); }
std::string_view owner_of_data(const Params& /*params*/) { return "data of a thread"; }

namespace {

// Returns the problem of test pairs. Throws a UsageError if there is no pair, or if a rank has several processors.
Problem problem_of_pairs(const Params& params, int ranks) {
  if (ranks < 2) {
    throw UsageError(
        "test pairs is between ranks with a processor each: it needs 2 or more, on as many processors, not " +
            std::to_string(ranks),
        {{{"ranks", 2}}});
  }
  if (omp_get_max_threads() > 1) {
    throw UsageError("test pairs is between ranks with a processor each, not " + std::to_string(omp_get_max_threads()) +
                     " threads");
  }
  if (params.partners >= ranks) {
    throw UsageError("partners: each of " + std::to_string(ranks) + " ranks has " + std::to_string(ranks - 1) +
                         " others, not " + std::to_string(params.partners),
                     {{{"partners", ranks - 1}}});
  }
  const PairSchedule schedule(partners_of(params, ranks), ranks);
  const std::int64_t pairs = std::int64_t{ranks / 2} * schedule.rounds();  // if odd, one pauses in each round
  constexpr double figure_bytes = 104.0;
  return {.footprint = figure_bytes * static_cast<double>(pairs), .facts = {{"pairs", pairs}}};
}

// Returns the problem of a test of the memory alone, with data of `max_size` for each thread.
Problem problem_of_memory(const Params& params, std::int64_t threads) {
  constexpr std::int64_t least = std::int64_t{64} << 10U;
  if (params.max_size < least) {
    throw UsageError(
        "max_size: test " + params.test + " is of memory, and takes at least " + std::to_string(least) + " bytes",
        {{{"max_size", least}}});
  }
  return {.footprint = static_cast<double>(params.max_size) * static_cast<double>(threads)};
}

// Returns the problem of test loaded. Throws a UsageError without threads that could stream.
Problem problem_of_loaded(const Params& params, int ranks) {
  const std::int64_t threads = omp_get_max_threads();
  if (ranks != 1 || threads < 2) {
    throw UsageError("test loaded is of one rank with 2 or more threads, each on a processor of its own, not of " +
                     std::to_string(ranks) + " x " + std::to_string(threads));
  }
  if (params.streams >= threads) {
    throw UsageError("streams: of " + std::to_string(threads) + " threads, at most " + std::to_string(threads - 1) +
                         " can read beside the one whose latency counts",
                     {{{"streams", threads - 1}}});
  }
  return problem_of_memory(params, threads);
}

// Returns the problem of test numa. Throws a UsageError where there is a single memory, or more than one rank.
Problem problem_of_numa(const Params& params, int ranks) {
  if (ranks != 1) {
    throw UsageError("test numa is of one rank, whose threads are on all NUMA nodes, not of " + std::to_string(ranks),
                     {{{"ranks", 1}}});
  }
  const auto nodes = memory_nodes();
  if (nodes.size() < 2) {
    throw UsageError("test numa compares the memories of NUMA nodes, and " +
                     (nodes.empty() ? "this kernel places no pages on them"
                                    : "this process may use only that of node " + format_list(nodes) +
                                          ": the machine has no other, or the job's cpuset leaves it out"));
  }
  Problem problem = problem_of_memory(params, omp_get_max_threads());
  problem.facts = {{"memories", std::ssize(nodes)}};
  return problem;
}

}  // namespace

Problem problem(const Params& params, int ranks) {
  if (params.test == "pairs") return problem_of_pairs(params, ranks);
  if (params.test == "loaded") return problem_of_loaded(params, ranks);
  if (params.test == "numa") return problem_of_numa(params, ranks);
  check_sizes(params, least_size(params),
              params.test != "bandwidth"
                  ? ", two cache lines of " + std::to_string(cache_line()) + " bytes"
                  : ", " + std::to_string(grain) + " elements of each array of loop " + params.loop);
  if (params.test == "bandwidth" && kernels_named(params.isa) == nullptr) {
    throw UsageError("isa: this processor has no " + params.isa + ", or this build no loops for it",
                     {{{"isa", "widest"}}});
  }
  const double data = static_cast<double>(params.max_size) * omp_get_max_threads();
  if (params.test == "bandwidth") return {.footprint = data};
  constexpr double plan_of_line = sizeof(std::int64_t);  // index of the next line, kept while the cycle is linked
  return {.footprint = data * (1.0 + plan_of_line / static_cast<double>(cache_line()))};
}

// Rank 0 sends them to the others.
std::vector<Level> levels(const Params& /*params*/, const Context& context) {
  std::vector<int> own;
  for (const auto& place : context.places) {
    if (place.size() == 1) own.push_back(place.front());
  }
  std::vector<int> processors;
  for (const std::string& list : context.ranks.gather(format_list(own))) {
    if (list.empty()) continue;  // threads that are not bound, so the caches that they share are unknown
    const auto more = parse_list(list);
    processors.insert(processors.end(), more.begin(), more.end());
  }
  std::vector<std::vector<DataCache>> caches;
  caches.reserve(processors.size());
  for (const int processor : processors) caches.push_back(caches_of(processor));
  constexpr std::size_t most = 10;
  std::vector<double> told(most);
  for (const Level& level : levels_of(caches, processors)) {
    told[static_cast<std::size_t>(level.number)] = static_cast<double>(level.size);
  }
  context.ranks.maximum(told);
  std::vector<Level> levels;
  for (std::size_t number = 0; number < most; ++number) {
    if (told[number] == 0.0) continue;
    levels.push_back({.number = static_cast<int>(number), .size = static_cast<std::int64_t>(told[number])});
  }
  return levels;
}

struct Chases::Impl {
  explicit Impl(const Params& params)
      : page(params.order == "within" ? base_page() : 0),
        data(params.max_size, params.data_pages == "base"),
        rings(data.threads()) {}

  std::int64_t page;
  ThreadData data;
  std::vector<std::optional<Ring>> rings;
};

Chases::Chases(const Params& params) : impl_(make_hidden<Impl>(params)) {}

std::int64_t Chases::prepare(std::int64_t size) {
  std::atomic<std::int64_t> missed{0};
  impl_->data.on_each([&](std::size_t thread, std::byte* start) {
    Ring& ring = impl_->rings[thread].emplace(start, size, cache_line(), impl_->page, thread);
    missed += ring.missed();
    ring.go(ring.lines());  // so that the lines read last are those of the cycle, not of the check
  });
  return missed;
}

double Chases::run(std::int64_t loads) {
  return impl_->data.time_each([&](std::size_t thread, std::byte*) { impl_->rings[thread]->go(loads); });
}

std::int64_t Chases::wrong() const {
  return std::ranges::count_if(impl_->rings, [](const auto& ring) { return ring && ring->misled(); });
}

Json::Object Chases::conditions() const { return impl_->data.conditions(); }
std::vector<Verification> Chases::checks() const { return {}; }

struct Loops::Impl {
  explicit Impl(const Params& params)
      : loop(loop_named(params.loop)),
        kernels(*kernels_named(params.isa)),
        data(reserved(loop, params.max_size), false),
        streams(data.threads()) {}

  Loop loop;
  const Kernels& kernels;
  ThreadData data;
  std::vector<std::optional<Streams>> streams;
};

Loops::Loops(const Params& params) : impl_(make_hidden<Impl>(params)) {}

std::int64_t Loops::prepare(std::int64_t size) {
  impl_->data.on_each([&](std::size_t thread, std::byte* start) {
    impl_->streams[thread].emplace(impl_->kernels, impl_->loop, reinterpret_cast<double*>(start), size);
  });
  return 0;
}

double Loops::run(std::int64_t passes) {
  return impl_->data.time_each([&](std::size_t thread, std::byte*) { impl_->streams[thread]->run(passes); });
}

std::int64_t Loops::wrong() const {
  std::atomic<std::int64_t> wrong{0};
  impl_->data.on_each([&](std::size_t thread, std::byte*) { wrong += impl_->streams[thread]->wrong(); });
  return wrong;
}

Json::Object Loops::conditions() const {
  Json::Object how = impl_->data.conditions();
  how.emplace_back("method", impl_->kernels.name);
  return how;
}
std::vector<Verification> Loops::checks() const { return {}; }

}  // namespace banzuke::memory
