// Runs every test, small, on all ranks that the launcher started. Exit status 1 if something is wrong.
#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "core/device_messages.hpp"
#include "core/devices.hpp"
#include "core/testing.hpp"
#include "pt2pt.hpp"

namespace banzuke::pt2pt {
namespace {

class Cases : public RankTests {
 public:
  explicit Cases(const Communicator& ranks) : RankTests(ranks) {}

  void curve(const Params& params) {
    name_ = params.test + ", " + params.buffers;
    const Result result = measure(params, context_);
    if (ranks_.rank() != 0) return;
    expect_verified(result);
    const auto all = sizes(params);
    const Curve curve = result.curves.empty() ? Curve{} : result.curves.front().second;
    expect(curve.points.size() == all.size(), "a point for every size");
    for (std::size_t i = 0; i < curve.points.size(); ++i) {
      const Metric& metric = curve.points[i].metrics.front();
      expect(metric.samples.size() == static_cast<std::size_t>(params.iterations), "every sample is kept");
      expect(std::ranges::all_of(metric.samples, [](double one) { return one > 0.0 && one < 1e14; }), "samples");
      expect(curve.points[i].at == static_cast<double>(all[i]), "sizes");
      const double pairs = params.test == "multi-pair" ? ranks_.size() / 2 : 1;
      expect(metric.work.counted == pairs * bytes(params, all[i]), "bytes of all pairs");
      // All ranks of this test are on one host; ranks do not share device memory.
      const bool copied = params.buffers == "host" && std::filesystem::exists("/dev/shm");
      expect(metric.bounds.size() == (copied ? 1U : 0U), "a direct copy");
      for (const auto& bound : metric.bounds) expect(bound.kind == "measured" && bound.seconds > 0.0, "bounds");
    }
    expect(result.metrics.front().samples.size() == static_cast<std::size_t>(params.iterations), "headline");
  }

  void some_pairs(std::int64_t rounds) {
    name_ = "some pairs";
    const Result result = measure(
        {.test = "pairs", .window = 2, .iterations = 2, .rounds = rounds, .buffers = buffer_kinds().front()}, context_);
    if (ranks_.rank() != 0) return;
    expect_verified(result);
    const PairSchedule schedule(rounds, ranks_.size());
    for (const auto& [name, pairs] : result.pairs) {
      std::set<std::pair<std::int64_t, std::int64_t>> met;
      for (std::size_t i = 0; i < pairs.values.size(); ++i) met.emplace(pairs.from[i], pairs.to[i]);
      for (int round = 0; round < schedule.rounds(); ++round) {
        for (int rank = 0; rank < ranks_.size(); ++rank) {
          const int peer = schedule.partner(rank, round);
          const bool there = peer > rank || (peer >= 0 && name == "bandwidth");
          if (there) expect(met.erase({rank, peer}) == 1, "who met is there once, in each direction of bandwidth");
        }
      }
      expect(met.empty(), "nobody else is there");
      expect(std::ranges::all_of(pairs.values, [](double one) { return one > 0.0; }), "all of them met");
    }
  }

  void pairs(const Params& params) {
    name_ = "pairs";
    const Result result = measure(params, context_);
    if (ranks_.rank() != 0) return;
    expect_verified(result);
    const auto all = static_cast<std::size_t>(ranks_.size());
    for (const auto& [name, pairs] : result.pairs) {
      std::set<std::pair<std::int64_t, std::int64_t>> met;
      for (std::size_t i = 0; i < pairs.values.size(); ++i) {
        met.emplace(pairs.from[i], pairs.to[i]);
        const bool lower = pairs.from[i] < pairs.to[i];
        const bool others = pairs.from[i] != pairs.to[i] && std::cmp_less(std::max(pairs.from[i], pairs.to[i]), all);
        expect(others && (lower || name == "bandwidth"), "latency from the lower rank, bandwidth in both directions");
      }
      const auto ways = name == "bandwidth" ? 2 * all * (all - 1) / 2 : all * (all - 1) / 2;
      expect(met.size() == ways && pairs.values.size() == met.size(), "every pair once");
      expect(std::ranges::all_of(pairs.values, [](double one) { return one > 0.0; }), "every pair was met");
    }
    expect(result.pairs.size() == 2 && result.metrics.size() == 2, "latency and bandwidth");
    expect(result.metrics.front().samples.size() == all, "a sample for every rank");
  }

  void rings() {
    name_ = "rings";
    const Result result = measure({.test = "rings", .iterations = 1}, context_);
    if (ranks_.rank() != 0) return;
    expect_verified(result);
    const auto all = static_cast<std::size_t>(ranks_.size());
    const std::size_t pairs = all * (all - 1);
    const std::vector<std::size_t> samples{pairs, pairs, 30, 1, 10, 1};
    expect(result.metrics.size() == samples.size(), "latency and bandwidth of pairs, random rings and the natural one");
    for (std::size_t i = 0; i < result.metrics.size(); ++i) {
      const Metric& metric = result.metrics[i];
      expect(metric.samples.size() == samples[i], "a sample for every pair, random order or measurement");
      expect(std::ranges::all_of(metric.samples, [](double one) { return one > 0.0 && one < 1e14; }), "samples");
      expect(metric.bounds.size() == 1 && metric.bounds.front().seconds > 0.0, "a direct copy");
    }
  }

  void refused(const Params& params) {
    name_ = params.test;
    bool thrown = false;
    try {
      problem(params, ranks_.size());
    } catch (const UsageError&) {
      thrown = true;
    }
    expect(thrown, "refusal");
  }

  // Must run first, because later tests use devices anyway.
  void has_its_device() {
    name_ = "messages in host memory";
    if (buffer_kinds().size() == 1 || ranks_.size() != 2) return;
    const Messages messages(ranks_, {.test = "latency", .max_size = 1, .buffers = "host"});
    expect(used_devices().size() == 1, "the rank still uses the device that it was given");
  }

  void asked_the_library() {
    name_ = "addresses of devices";
    expect(no_device_messages("emulated").empty(), "memory that is the host's is taken");
    for (const char* platform : {"CUDA 13.0", "HIP 7.0"}) {
      const std::string why = no_device_messages(platform);
      expect(why.empty() || (why.starts_with("this MPI library ") && why.find("()") == std::string::npos),
             "a refusal names the library");
    }
  }

  // The first rank sends messages half as long as the second expects.
  void faulty(const std::string& buffers) {
    name_ = "a message too short, " + buffers;
    const Side here = side(ranks_.rank(), ranks_.size());
    Messages messages(ranks_, {.test = "bandwidth", .max_size = 64, .window = 3, .buffers = buffers});
    const auto wrong = messages.wrong_bytes(Exchange::bandwidth, here, here.first ? 32 : 64);
    expect(here.first ? wrong == 0 : wrong > 2 * 3 * 32, "all of its bytes count");
  }

 private:
  void expect_verified(const Result& result) {
    expect(!result.verification.empty(), "nothing was checked");
    for (const auto& check : result.verification) expect(check.passed(), check.quantity.c_str());
  }

  std::vector<std::vector<int>> places_{{0}};
  Context context_{.ranks = ranks_, .places = places_};
};

int run(int argc, char** argv) {
  const Communicator ranks(argc, argv);
  Cases cases(ranks);
  cases.has_its_device();
  cases.asked_the_library();
  const bool even = ranks.size() % 2 == 0;
  for (const auto& buffers : buffer_kinds()) {
    for (const std::string test : {"latency", "bandwidth", "bidirectional", "multi-pair"}) {
      const Params small{.test = test, .max_size = 16, .window = 3, .iterations = 2, .buffers = buffers, .chunk = 3};
      const Params large{.test = test,
                         .min_size = 1 << 17,
                         .max_size = 1 << 17,
                         .window = 200,
                         .iterations = 1,
                         .buffers = buffers,
                         .chunk = 40'000};
      const bool allowed = test == "multi-pair" ? even : ranks.size() == 2;
      if (!allowed) {
        cases.refused(small);
        continue;
      }
      cases.curve(small);
      cases.curve(large);  // its window is checked in parts
    }
    const bool mixed = buffers == "host-device" || buffers == "device-host";
    if (ranks.size() == 1 || mixed) {
      cases.refused({.test = "pairs", .buffers = buffers});
    } else {
      cases.pairs({.test = "pairs", .window = 2, .iterations = 2, .buffers = buffers});
    }
    if (even) cases.faulty(buffers);
    if (ranks.size() == 2) {
      cases.curve({.test = "latency", .max_size = 0, .iterations = 2, .buffers = buffers});
    }
  }
  if (ranks.size() > 1 && ranks.size() < 4) cases.rings();  // of more, each takes a processor and waits for all others
  for (const int rounds : {1, 2}) {
    if (ranks.size() > 1) cases.some_pairs(rounds);
  }
  return cases.all_right() ? 0 : 1;
}

}  // namespace
}  // namespace banzuke::pt2pt

int main(int argc, char** argv) { return banzuke::pt2pt::run(argc, argv); }
