// Pairs of ranks with a processor each, and ranks whose threads all have data of their own.
#include <cstdio>
#include <string>

#include "core/memory.hpp"
#include "core/testing.hpp"
#include "memory.hpp"
#include "pairs.hpp"

namespace banzuke::memory {
namespace {

class Ranks : public RankTests {
 public:
  using RankTests::RankTests;

  void run() {
    const std::vector<std::vector<int>> places{{0}};
    const Context context{.ranks = ranks_, .places = places};
    if (ranks_.size() > 1) measure_all_pairs(context);
    if (ranks_.size() == 1 && !memory_nodes().empty() && processor_nodes().contains(0)) measure_nodes(context);
    for (const auto* test : {"latency", "bandwidth"}) {
      name_ = test;
      const Result result = measure({.test = test, .max_size = 8192, .rounds = 3, .sample_us = 100}, context);
      expect(result.curves.front().second.points.size() >= 3, "the sizes");
      expect(all_passed(result), "the checks");
    }
  }

 private:
  void measure_all_pairs(const Context& context) {
    name_ = "pairs";
    const Result result = measure({.test = "pairs", .rounds = 3}, context);
    const auto& pairs = result.pairs.front().second;
    expect(pairs.values.size() == static_cast<std::size_t>(ranks_.size() * (ranks_.size() - 1) / 2), "the pairs");
    for (const double value : pairs.values) expect(value > 0.0, "a latency");
    for (std::size_t i = 0; i < pairs.from.size(); ++i) expect(pairs.from[i] < pairs.to[i], "the order of a pair");
    expect(all_passed(result), "the tokens");
  }

  void measure_nodes(const Context& context) {
    name_ = "numa";
    const Result result = measure({.test = "numa", .max_size = 65536, .rounds = 3, .sample_us = 100}, context);
    expect(result.pairs.size() == 2, "latency and bandwidth");
    for (const auto& [name, pairs] : result.pairs) {
      expect(pairs.values.size() == memory_nodes().size(), "the memory of each node");
      for (const double value : pairs.values) expect(value > 0.0, "a figure");
    }
    expect(all_passed(result), "the chases, the sums and the pages");
  }

  static bool all_passed(const Result& result) {
    for (const auto& check : result.verification) {
      if (!check.passed()) return false;
    }
    return !result.verification.empty();
  }
};

}  // namespace
}  // namespace banzuke::memory

int main(int argc, char** argv) {
  const banzuke::Communicator ranks(argc, argv);
  try {
    banzuke::memory::Ranks tests(ranks);
    tests.run();
    return tests.all_right() ? 0 : 1;
  } catch (const std::exception& error) {  // the other ranks wait for this one
    std::fprintf(stderr, "rank %d: %s\n", ranks.rank(), error.what());
    ranks.abort(1);
  }
}
