// Measures the updates per second of a device for several table sizes and ways to make them: threads per block, updates
// in flight per thread, more threads than the device holds at once, atomic updates or loads and stores. Compares each
// way with the one that the benchmark uses, and with what the memory's rate allows if each update moves a sector of 32
// bytes in both directions. Counts the words that are wrong afterwards; with atomic updates there must be none.
// Usage: bench-gups-cuda [TURNS [FEWEST [MOST [FETCH]]]]: tables of 2^FEWEST to 2^MOST words, growing by a factor of 8;
// FETCH: bytes that the L2 cache fetches at once, as requested from CUDA (0: the default).
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "bench_gpu_fetch.hpp"
#include "core/gpu/beside.hpp"
#include "core/gpu/choose.hpp"
#include "core/paired.hpp"
#include "gpu_table.hpp"

namespace {

using namespace banzuke;
using gups::UpdateWay;

constexpr double sector = 32.0;
constexpr int size_step = 3;
// Largest number of timed updates: a few thousand per thread.
constexpr std::int64_t most_updates = std::int64_t{1} << 29U;

struct Tried {
  const UpdateWay* way;
  std::int64_t waves;
  std::string name;
};

std::vector<Tried> all_ways() {
  std::vector<Tried> tried;
  for (int number = 0; number < gups::update_ways; ++number) {
    const UpdateWay& way = gups::update_way(number);
    tried.push_back({&way, 1, way.name});
  }
  for (const std::int64_t waves : {4, 16}) {
    const UpdateWay& way = gups::update_way(0);
    tried.push_back({&way, waves, std::string(way.name) + ", " + std::to_string(waves) + " waves"});
  }
  return tried;
}

// Returns the share of words that are wrong after the way's updates.
double wrong_share(gups::Table& table, const Tried& tried, std::int64_t n, std::int64_t updates) {
  table.fill();
  table.run(0, updates, *tried.way, tried.waves);
  table.replay(updates);
  return 1.0 - static_cast<double>(table.tally().right) / static_cast<double>(n);
}

bool compare(int bits, int turns, const gpu::DeviceInfo& device) {
  const std::int64_t n = std::int64_t{1} << static_cast<unsigned>(bits);
  const std::int64_t updates = std::min(gups::updates_of_word * n, most_updates);
  gups::Table table(n, device.multiprocessors);
  const std::vector<Tried> tried = all_ways();
  std::vector<TimedWay> timed;
  timed.reserve(tried.size());
  for (const Tried& way : tried) {
    timed.push_back({way.name, [&] { return table.run(0, updates, *way.way, way.waves); }});
  }
  const auto seconds = take_turns(timed, turns);
  const auto work = static_cast<double>(updates);
  std::fprintf(stderr, "\ntable of 2^%d words, %.4g MiB\n", bits, static_cast<double>(n) / 131072.0);
  bool all = true;
  for (std::size_t i = 0; i < tried.size(); ++i) {
    const double rate = work / median(seconds[i]);
    const double wrong = wrong_share(table, tried[i], n, updates);
    std::fprintf(stderr, "  %-46s %8.3f Gupdate/s", tried[i].name.c_str(), rate / 1e9);
    if (device.memory_rate > 0.0) std::fprintf(stderr, ", %.3f of sectors", rate * 2.0 * sector / device.memory_rate);
    std::fprintf(stderr, ", wrong words %.3g\n", wrong);
    if (tried[i].way->exact) all = gpu::right(tried[i].name, wrong, 0.0) && all;
  }
  const std::string subject = "2^" + std::to_string(bits) + " words, " + tried[0].name;
  for (std::size_t i = 1; i < tried.size(); ++i) {
    gpu::tell(gpu::pair_of(subject, tried[i].name, seconds[0], seconds[i], work, "update/s"));
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  const int turns = positive_argument(argc, argv, 1, 3);
  const int fewest = std::min(positive_argument(argc, argv, 2, 21), 40);
  const int most = std::min(positive_argument(argc, argv, 3, 30), 40);
  const int fetch = argc > 4 ? positive_argument(argc, argv, 4, 1) : 0;
  return gpu::run_beside([&] {
    const gpu::DeviceInfo device = gpu::use_given();
    if (fetch > 0) {
      std::fprintf(stderr, "the L2 cache fetches %d bytes at once, %d were asked for\n", gups::ask_for_fetch(fetch),
                   fetch);
    }
    bool all = true;
    for (int bits = fewest; bits <= most; bits += size_step) all = compare(bits, turns, device) && all;
    return all;
  });
}
