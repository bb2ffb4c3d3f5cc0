#include "loaded.hpp"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <vector>

#include "core/clock.hpp"
#include "core/team.hpp"
#include "ring.hpp"
#include "streams.hpp"
#include "threads.hpp"

namespace banzuke::memory {
namespace {

// A sample is so many times as long as others, because the streams' passes over their data take as long as a sample.
constexpr double longer = 4.0;
constexpr std::int64_t first_loads = 10'000;

class Loaded {
 public:
  Loaded(const Params& params, std::int64_t streams)
      : size_(params.max_size),
        streaming_(static_cast<std::size_t>(streams)),
        data_(reserved(Loop::load, params.max_size), false),
        streams_(data_.threads()) {
    data_.on_each([&](std::size_t thread, std::byte* start) {
      if (thread == 0) {
        Ring& ring = ring_.emplace(start, size_, cache_line(), 0, 0);
        missed_ = ring.missed();
        ring.go(ring.lines());
      } else if (thread <= streaming_) {
        streams_[thread].emplace(*all_kernels().front(), Loop::load, reinterpret_cast<double*>(start), size_);
      }
    });
  }

  struct Sample {
    double latency = 0.0;
    double bandwidth = 0.0;  // of all streams
  };

  // Makes `loads` dependent loads, after a few that are not timed, while the others stream.
  Sample run(std::int64_t loads) {
    std::atomic<bool> finished{false};
    Barrier barrier(static_cast<int>(data_.threads()));
    Sample sample;
    data_.on_each([&](std::size_t thread, std::byte*) {
      barrier.wait();
      if (thread == 0) {
        ring_->go(odd(loads / 10));
        const double start = now();
        ring_->go(loads);
        sample.latency = (now() - start) / static_cast<double>(loads);
        finished = true;
      } else if (thread <= streaming_) {
        const double start = now();
        std::int64_t passes = 0;
        while (!finished || passes == 0) {
          streams_[thread]->run(1);
          ++passes;
        }
        const double rate = static_cast<double>(passes * counted(Loop::load, size_)) / (now() - start);
#pragma omp critical
        sample.bandwidth += rate;
      }
    });
    return sample;
  }

  // Returns the number of loads that take `seconds` or somewhat more.
  std::int64_t enough(double seconds) {
    const double each = run(first_loads + 1).latency;
    return odd(static_cast<std::int64_t>(seconds / each));
  }

  std::int64_t missed() const { return missed_; }
  std::int64_t misled() const { return ring_ && ring_->misled() ? 1 : 0; }
  std::int64_t wrong_sums() {
    std::atomic<std::int64_t> wrong{0};
    data_.on_each([&](std::size_t thread, std::byte*) {
      if (streams_[thread]) wrong += streams_[thread]->wrong();
    });
    return wrong;
  }
  Json::Object conditions() const { return data_.conditions(); }

 private:
  // A ring of 2^k lines is never gone round by an odd number of loads, which would hide loads that are left out.
  static std::int64_t odd(std::int64_t loads) { return std::max<std::int64_t>(loads, 1) | 1; }

  std::int64_t size_;
  std::size_t streaming_;
  ThreadData data_;
  std::optional<Ring> ring_;
  std::vector<std::optional<Streams>> streams_;
  std::int64_t missed_ = 0;
};

}  // namespace

std::int64_t streams_of(const Params& params, std::int64_t threads) {
  return params.streams > 0 ? params.streams : threads - 1;
}

Result measure_loaded(const Params& params, const Context& context) {
  const std::int64_t streams = streams_of(params, omp_get_max_threads());
  Context::step("loaded latency, prepared");
  Loaded loaded(params, streams);
  const std::int64_t loads = loaded.enough(longer * 1e-6 * static_cast<double>(params.sample_us));
  Context::step("loaded latency, timed");
  Metric latency{.name = "loaded_latency", .unit = "s", .samples = {}, .work = {}};
  Metric bandwidth{.name = "load_beside", .unit = "B/s", .samples = {}, .work = {}};
  Watch watch;
  for (std::int64_t round = 0; round < params.rounds; ++round) {
    const auto part = watch.part();
    const auto sample = loaded.run(loads);
    latency.samples.push_back(sample.latency);
    bandwidth.samples.push_back(sample.bandwidth);
    context.progress(round + 1, params.rounds);
  }
  Result result;
  result.conditions = watch.conditions();
  result.metrics = {latency, bandwidth};
  Context::step("loaded latency, checked");
  result.verification = {
      {"lines that a cycle does not visit exactly once", static_cast<double>(loaded.missed()), 0.0},
      {"chases that ended elsewhere than their loads lead", static_cast<double>(loaded.misled()), 0.0},
      {"sums that are not those of all loads", static_cast<double>(loaded.wrong_sums()), 0.0}};
  result.conditions.emplace_back("working_set",
                                 static_cast<double>(params.max_size) * static_cast<double>(streams + 1));
  result.conditions.emplace_back("streams", streams);
  const auto how = loaded.conditions();
  result.conditions.insert(result.conditions.end(), how.begin(), how.end());
  return result;
}

}  // namespace banzuke::memory
