// Runs both tests, short, on all ranks that the launcher started; ranks share processors. Exit status 1 if something is
// wrong.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/binding.hpp"
#include "core/testing.hpp"
#include "figures.hpp"
#include "gather.hpp"
#include "noise.hpp"

namespace banzuke::noise {
namespace {

class Cases : public RankTests {
 public:
  explicit Cases(const Communicator& ranks) : RankTests(ranks) {
    const auto cpus = allowed_cpus();
    places_ = {{cpus[static_cast<std::size_t>(ranks.rank()) % cpus.size()]}};
    bind_threads(places_.front());
  }

  void fixed_work() {
    name_ = "fwq";
    constexpr std::int64_t quanta = 20;
    const Result result = measure({.quantum = 1e-4, .samples = quanta}, context_);
    if (ranks_.rank() != 0) return;
    expect_verified(result, 3);
    const double largest = only(result, "maximum_noise");
    const auto cores = samples(result, "core_maximum_noise");
    expect(cores.size() == all(), "a sample of each rank");
    expect(*std::ranges::max_element(cores) == largest, "the largest of all");
    expect(only(result, "maximum_noise_beyond_clock") <= largest, "without the clock no more");
    const double share = only(result, "noise_share");
    expect(share >= 0.0 && share < 1.0, "share");
    expect(only(result, "noise_p50") <= largest, "percentiles are no more than the largest");
    expect(samples(result, "noise_p9999").empty(), "no percentile that is the maximum again");
    for (const auto& [name, series] : result.series) {
      expect(series.lines.size() == all() && series.left_out == 0, "a line of each rank");
      for (std::size_t i = 0; i < series.lines.size(); ++i) {
        const SeriesLine& line = series.lines[i];
        expect(std::cmp_equal(line.rank.value_or(-1), i) && line.thread == 0 && line.host == Communicator::host(),
               "whose");
        expect(std::ssize(line.values) == quanta && *std::ranges::min_element(line.values) == 0,
               "values from the least on");
        expect(line.base == 0.0 || (line.base > 5e-5 && line.base < 1e-2), "quanta of about the wanted time");
        if (name == "time") expect(std::abs(*std::ranges::max_element(line.values) * 1e-9 - cores[i]) < 1e-12, "noise");
      }
    }
    for (const auto& [name, distribution] : result.distributions) {
      expect(std::ranges::is_sorted(distribution.values), "ascending");
      expect(std::accumulate(distribution.counts.begin(), distribution.counts.end(), std::int64_t{0}) ==
                 static_cast<std::int64_t>(quanta * all()),
             "every sample counts");
    }
  }

  void fixed_time() {
    name_ = "ftq";
    constexpr std::int64_t intervals = 50;
    const Result result = measure({.test = "ftq", .quantum = 1e-4, .samples = intervals}, context_);
    if (ranks_.rank() != 0) return;
    expect_verified(result, 3);
    const Series& work = result.series.front().second;
    expect(work.lines.size() == all(), "a line of each rank");
    for (const auto& line : work.lines) {
      expect(std::ssize(line.values) == intervals, "every interval");
      const auto most = *std::ranges::max_element(line.values);
      expect(most > 20 && most < 5000, "chunks of about the wanted time");
    }
    const double share = only(result, "noise_share");
    expect(share >= 0.0 && share < 1.0, "share");
  }

  // Other programs had every processor all the time.
  void all_time_may_be_lost() {
    name_ = "ftq without work";
    Lane idle;
    idle.samples = {0, 0};
    idle.timed_chunks = 1;
    Result result;
    add_fixed_time(ranks_, {idle}, result);
    if (ranks_.rank() != 0) return;
    expect(only(result, "noise_share") == 1.0, "all of it");
    expect(samples(result, "core_noise_share") == std::vector<double>(all(), 1.0), "of each");
  }

  // The processors of the second half of the ranks are the noisiest.
  void only_the_noisiest_are_kept() {
    name_ = "series of many processors";
    const auto own = static_cast<double>(ranks_.rank());
    const Figures figures(ranks_, {own, own});
    expect(figures.all().size() == 2 * all() && figures.largest() == static_cast<double>(all() - 1), "figures");
    const auto kept = figures.among_largest(all());
    std::vector<Line> lines;
    for (int thread = 0; thread < 2; ++thread) {
      if (kept[static_cast<std::size_t>(thread)]) {
        lines.push_back({.thread = thread, .cpu = ranks_.rank(), .base = 3, .values = {10, ranks_.rank()}});
      }
    }
    const Series series = gather_series(ranks_, lines, "s", 0.5, 2 * all());
    if (ranks_.rank() != 0) return;
    expect(series.lines.size() == all() && std::cmp_equal(series.left_out, all()), "as many as may be");
    for (const auto& line : series.lines) {
      expect(2 * line.rank.value_or(0) >= ranks_.size() - 1 && line.cpu == line.rank, "the noisiest");
      expect(line.base == 1.5 && line.values == std::vector<std::int64_t>({10, line.rank.value_or(0)}),
             "values as they were sent");
    }
  }

  void counts_are_added_up() {
    name_ = "counts";
    Counts own{{"Local timer interrupts", 5}, {"eth " + std::to_string(ranks_.rank()), 1}};
    for (int i = 0; i < 20; ++i) own.emplace_back("rare" + std::to_string(i), 0);
    own.emplace_back("other", 2);
    const Counts sums = gather_counts(ranks_, own);
    if (ranks_.rank() != 0) return;
    expect(sums.front() == Counts::value_type("Local timer interrupts", 5 * ranks_.size()), "largest first");
    expect(std::ranges::find(sums, Counts::value_type("eth 0", 1)) != sums.end(), "names may have spaces");
  }

  void refused(const Params& params, const std::vector<std::vector<int>>& places, const char* what) {
    name_ = what;
    bool thrown = false;
    try {
      check(params, Context{.ranks = ranks_, .places = places});
    } catch (const UsageError&) {
      thrown = true;
    }
    expect(thrown, "refusal");
  }

 private:
  void expect_verified(const Result& result, std::size_t checks) {
    expect(result.verification.size() == checks, "checks");
    for (const auto& check : result.verification) expect(check.passed(), check.quantity.c_str());
  }
  static std::vector<double> samples(const Result& result, const std::string& name) {
    const auto found = std::ranges::find(result.metrics, name, &Metric::name);
    return found == result.metrics.end() ? std::vector<double>() : found->samples;
  }
  double only(const Result& result, const std::string& name) {
    const auto found = samples(result, name);
    expect(found.size() == 1, name.c_str());
    return found.empty() ? std::nan("") : found.front();
  }
  std::size_t all() const { return static_cast<std::size_t>(ranks_.size()); }

  std::vector<std::vector<int>> places_;
  Context context_{.ranks = ranks_, .places = places_};
};

int run(int argc, char** argv) {
  const Communicator ranks(argc, argv);
  Cases cases(ranks);
  cases.fixed_work();
  cases.fixed_time();
  cases.all_time_may_be_lost();
  cases.only_the_noisiest_are_kept();
  cases.counts_are_added_up();
  cases.refused({}, {{0, 1}}, "a thread that may move");
  if (ranks.size() > 1) cases.refused({.trace = "on"}, {{0}}, "a trace of several ranks");
  return cases.all_right() ? 0 : 1;
}

}  // namespace
}  // namespace banzuke::noise

int main(int argc, char** argv) { return banzuke::noise::run(argc, argv); }
