#include "numa.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <iterator>
#include <list>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/array.hpp"
#include "core/clock.hpp"
#include "core/memory.hpp"
#include "core/paired.hpp"
#include "core/team.hpp"
#include "ring.hpp"
#include "streams.hpp"

namespace banzuke::memory {
namespace {

constexpr std::int64_t loads_to_estimate = 10'001;

// A ring of 2^k lines is never gone round by an odd number of loads, which would hide loads that are left out.
std::int64_t odd(double loads) { return std::max<std::int64_t>(static_cast<std::int64_t>(loads), 1) | 1; }

// What a pair of nodes wrongly did, over all of them.
struct Wrong {
  std::int64_t missed = 0;
  std::int64_t misled = 0;
  std::int64_t sums = 0;
  std::int64_t elsewhere = 0;
};

// Data of each thread of one node in the memory of another or the same.
class FarData {
 public:
  FarData(const Params& params, const NodeThreads& from, int memory)
      : size_(params.max_size), memory_(memory), threads_(from.threads) {
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      auto& array = arrays_.emplace_back(static_cast<std::size_t>(size_));
      prefer_node(array.data(), array.size(), memory);  // what comes of it is checked
    }
  }

  // Returns seconds of a load in each round: dependent loads of the first thread, while the others wait.
  std::vector<double> latencies(const Params& params, Watch& watch, Wrong& wrong) {
    std::optional<Ring> ring;
    on_each([&](std::size_t mine, std::byte* start) {
      if (mine > 0) return;
      ring.emplace(start, size_, cache_line(), 0, 0);
      wrong.missed += ring->missed();
      ring->go(ring->lines());
    });
    const auto timed = [&](std::int64_t loads) {
      double seconds = 0.0;
      on_each([&](std::size_t mine, std::byte*) {
        if (mine > 0) return;
        const double start = now();
        ring->go(loads);
        seconds = now() - start;
      });
      return seconds / static_cast<double>(loads);
    };
    const std::int64_t loads = odd(1e-6 * static_cast<double>(params.sample_us) / timed(loads_to_estimate));
    std::vector<double> samples;
    samples.reserve(static_cast<std::size_t>(params.rounds));
    const auto part = watch.part();
    for (std::int64_t round = 0; round < params.rounds; ++round) samples.push_back(timed(loads));
    wrong.misled += ring && ring->misled() ? 1 : 0;
    return samples;
  }

  // Returns bytes per second of all threads together in each round, by the time of the slowest.
  std::vector<double> bandwidths(const Params& params, Watch& watch, Wrong& wrong) {
    std::vector<std::optional<Streams>> streams(threads_.size());
    on_each([&](std::size_t mine, std::byte* start) {
      streams[mine].emplace(*all_kernels().front(), Loop::load, reinterpret_cast<double*>(start), size_);
    });
    const auto timed = [&](std::int64_t passes) {
      Barrier barrier(static_cast<int>(threads_.size()));
      double slowest = 0.0;
      on_each([&](std::size_t mine, std::byte*) {
        barrier.wait();
        const double start = now();
        streams[mine]->run(passes);
        const double seconds = now() - start;
#pragma omp critical
        slowest = std::max(slowest, seconds);
      });
      return slowest / static_cast<double>(passes);
    };
    const double bytes = static_cast<double>(counted(Loop::load, size_)) * static_cast<double>(threads_.size());
    const auto passes = static_cast<std::int64_t>(1e-6 * static_cast<double>(params.sample_us) / timed(1)) + 1;
    std::vector<double> samples;
    {
      const auto part = watch.part();
      for (std::int64_t round = 0; round < params.rounds; ++round) samples.push_back(bytes / timed(passes));
    }
    std::atomic<std::int64_t> sums{0};
    on_each([&](std::size_t mine, std::byte*) { sums += streams[mine]->wrong(); });
    wrong.sums += sums;
    for (const auto& array : arrays_) wrong.elsewhere += pages_elsewhere(array.data(), array.size(), memory_);
    return samples;
  }

 private:
  // Calls part(number of the thread among those of the node, its data); the other threads wait.
  template <class Part>
  void on_each(Part part) {
#pragma omp parallel
    {
      const auto place = std::ranges::find(threads_, static_cast<std::size_t>(omp_get_thread_num()));
      if (place != threads_.end()) {
        const auto mine = place - threads_.begin();
        part(static_cast<std::size_t>(mine), std::next(arrays_.begin(), mine)->data());
      }
    }
  }

  std::int64_t size_;
  int memory_;
  std::vector<std::size_t> threads_;
  std::list<Array<std::byte>> arrays_;
};

// A figure of all pairs of nodes, and the means of the near and of the far ones by round.
class Figure {
 public:
  Figure(std::string name, std::string unit, const std::vector<int>& nodes) : name_(std::move(name)) {
    matrix_.unit = std::move(unit);
    for (const int node : nodes) matrix_.ends.push_back({.host = Communicator::host(), .node = node});
  }

  void add(int from, int to, const std::vector<double>& samples) {
    const auto place_of = [&](int node) {
      return std::ranges::find(matrix_.ends, node, &End::node) - matrix_.ends.begin();
    };
    matrix_.from.push_back(place_of(from));
    matrix_.to.push_back(place_of(to));
    matrix_.values.push_back(median(samples));
    auto& [sum, count] = from == to ? near_ : far_;
    sum.resize(samples.size());
    for (std::size_t round = 0; round < samples.size(); ++round) sum[round] += samples[round];
    ++count;
  }

  void finish(Result& result) {
    add_mean(result, "local", near_);
    add_mean(result, "remote", far_);
    result.pairs.emplace_back("numa_" + name_, std::move(matrix_));
  }

 private:
  struct Mean {
    std::vector<double> sum{};
    std::int64_t count = 0;
  };

  void add_mean(Result& result, const std::string& whose, const Mean& mean) const {
    if (mean.count == 0) return;
    Metric metric{.name = whose + '_' + name_, .unit = matrix_.unit, .samples = {}, .work = {}};
    for (const double sum : mean.sum) metric.samples.push_back(sum / static_cast<double>(mean.count));
    result.metrics.push_back(std::move(metric));
  }

  std::string name_;
  Pairs matrix_;
  Mean near_;
  Mean far_;
};

}  // namespace

std::vector<NodeThreads> threads_by_node(const std::vector<std::vector<int>>& places, const std::map<int, int>& nodes) {
  std::map<int, std::vector<std::size_t>> threads;
  for (std::size_t thread = 0; thread < places.size(); ++thread) {
    std::set<int> own;
    for (const int processor : places[thread]) {
      const auto node = nodes.find(processor);
      own.insert(node == nodes.end() ? -1 : node->second);
    }
    if (own.size() != 1 || own.contains(-1)) {
      throw UsageError("test numa is of threads on one NUMA node each, and thread " + std::to_string(thread) +
                       " is on none or on several: bind it to a processor (--binding)");
    }
    threads[*own.begin()].push_back(thread);
  }
  std::vector<NodeThreads> by_node;
  by_node.reserve(threads.size());
  for (auto& [node, own] : threads) by_node.push_back({.node = node, .threads = std::move(own)});
  return by_node;
}

Result measure_numa(const Params& params, const Context& context) {
  const auto origins = threads_by_node(context.places, processor_nodes());
  const auto memories = memory_nodes();
  std::set<int> all(memories.begin(), memories.end());
  for (const auto& origin : origins) all.insert(origin.node);
  const std::vector<int> nodes(all.begin(), all.end());
  Figure latency("latency", "s", nodes);
  Figure bandwidth("bandwidth", "B/s", nodes);
  Wrong wrong;
  Watch watch;
  const auto pairs = static_cast<std::int64_t>(origins.size() * memories.size());
  std::int64_t done = 0;
  for (const auto& origin : origins) {
    for (const int memory : memories) {
      Context::step("node " + std::to_string(origin.node) + " with the memory of node " + std::to_string(memory));
      FarData data(params, origin, memory);
      latency.add(origin.node, memory, data.latencies(params, watch, wrong));
      bandwidth.add(origin.node, memory, data.bandwidths(params, watch, wrong));
      context.progress(++done, pairs);
    }
  }
  Result result;
  result.conditions = watch.conditions();
  latency.finish(result);
  bandwidth.finish(result);
  result.verification = {{"lines that a cycle does not visit exactly once", static_cast<double>(wrong.missed), 0.0},
                         {"chases that ended elsewhere than their loads lead", static_cast<double>(wrong.misled), 0.0},
                         {"sums that are not those of all loads", static_cast<double>(wrong.sums), 0.0},
                         {"pages that are not on the node", static_cast<double>(wrong.elsewhere), 0.0}};
  result.conditions.emplace_back("huge_page_fraction", huge_page_fraction());
  return result;
}

}  // namespace banzuke::memory
