// Runs all phases, small, on all ranks that the launcher started. Exit status 1 if something is wrong.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "core/agreement.hpp"
#include "core/storage/testing.hpp"
#include "core/testing.hpp"
#include "mdtest.hpp"

namespace banzuke::mdtest {
namespace {

namespace fs = std::filesystem;

// Returns a folder in memory if possible, because some disks remove only a few hundred directories per second.
fs::path memory() {
  const fs::path memory = "/dev/shm";
  return fs::exists(memory) ? memory : fs::temp_directory_path();
}

class Cases : public RankTests {
 public:
  explicit Cases(const Communicator& ranks) : RankTests(ranks), shared_(ranks, "mdtest-ranks", memory()) {}

  void measured(Params params) {
    name_ = params.directories + " directories, " + std::to_string(params.bytes) + " bytes";
    params.folder = folder_.string();
    const Result result = measure(params, context_);
    nothing_left();
    if (ranks_.rank() != 0) return;
    for (const auto& check : result.verification) expect(check.passed(), check.quantity.c_str());
    expect(result.verification.size() == 3, "three checks");
    std::vector<std::string> names;
    for (const auto& metric : result.metrics) {
      names.push_back(metric.name);
      expect(std::cmp_equal(metric.samples.size(), params.rounds), "a sample a round");
      expect(std::ranges::all_of(metric.samples, [](double one) { return one > 0.0 && one < 1e9; }), "rates");
      const bool tree = metric.name.starts_with("tree");
      const double makers = tree && params.directories == "shared" ? 1.0 : ranks_.size();
      const double each = tree ? 7.0 : static_cast<double>(params.items);
      expect(metric.work.counted == makers * each, "all that was made is counted");
    }
    const std::vector<std::string> wanted{
        "tree_create_rate",      "directory_create_rate", "cached_directory_stat_rate", "directory_rename_rate",
        "directory_remove_rate", "file_create_rate",      "cached_file_stat_rate",      "cached_file_read_rate",
        "file_remove_rate",      "tree_remove_rate"};
    expect(names == wanted, "phases in their order; all ranks have one mount");
  }

  void stopped_early() {
    name_ = "no time";
    const Result result =
        measure({.folder = folder_.string(), .items = 1 << 18, .rounds = 5, .most_seconds = 0.05}, context_);
    nothing_left();
    if (ranks_.rank() != 0) return;
    for (const auto& check : result.verification) expect(check.passed(), check.quantity.c_str());
    const auto stopped =
        std::ranges::find(result.conditions, "stopped_early", [](const auto& one) { return one.first; });
    expect(
        stopped != result.conditions.end() && stopped->second.dump().find("\"file_create_rate\"") != std::string::npos,
        "what was stopped is told");
  }

  void walled() {
    name_ = "a wall";
    const Result result =
        measure({.folder = folder_.string(), .items = 1 << 18, .rounds = 1, .stonewall = 0.02}, context_);
    nothing_left();
    if (ranks_.rank() != 0) return;
    const auto counted = [&](const std::string& name) {
      const auto found = std::ranges::find(result.metrics, name, [](const Metric& metric) { return metric.name; });
      return found == result.metrics.end() ? 0.0 : found->work.counted;
    };
    for (const auto& check : result.verification) expect(check.passed(), check.quantity.c_str());
    const double made = counted("file_create_rate");
    expect(made > 0.0 && made < (1 << 18) * ranks_.size(), "some are made");
    expect(counted("cached_file_stat_rate") == made && counted("file_remove_rate") == made,
           "all of them are asked for");
  }

  // Behaves as if the quota of the last rank's user were used up.
  void no_space_for_one() {
    name_ = "no space for one rank";
    const rlimit none{.rlim_cur = 4096, .rlim_max = RLIM_INFINITY};
    const rlimit usual{.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
    std::signal(SIGXFSZ, SIG_IGN);
    if (last()) setrlimit(RLIMIT_FSIZE, &none);
    const std::string words = failure({.items = 5, .bytes = 5000});
    if (last()) setrlimit(RLIMIT_FSIZE, &usual);
    expect(words.find("bz.file." + std::to_string(ranks_.size() - 1) + ".0: File too large") != std::string::npos,
           words.c_str());
  }

  void ended_by_a_signal() {
    name_ = "a signal";
    struct sigaction usual{};
    sigaction(SIGTERM, nullptr, &usual);
    const std::jthread sender([&] {
      struct sigaction now = usual;
      while (now.sa_handler == usual.sa_handler) {  // until then it would end the test
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        sigaction(SIGTERM, nullptr, &now);
      }
      kill(getpid(), SIGTERM);
    });
    const std::string words = failure({.items = 1 << 18, .rounds = 1000});
    expect(words.find("ended by SIGTERM") != std::string::npos, words.c_str());
  }

  void too_large_until_a_time() {
    name_ = "more than there is space for, until a time";
    const Result result = measure({.folder = folder_.string(),
                                   .items = std::int64_t{1} << 40U,
                                   .bytes = 1 << 20,
                                   .rounds = 1,
                                   .most_seconds = 0.1},
                                  context_);
    nothing_left();
    if (ranks_.rank() != 0) return;
    expect(std::ranges::any_of(result.conditions, [](const auto& one) { return one.first == "space_for_items"; }),
           "what there is space for is told");
  }

  void too_large() {
    name_ = "more than there is space for";
    const std::string words = failure({.items = std::int64_t{1} << 40U, .bytes = 1 << 30});
    expect(words.find("fewer items or bytes") != std::string::npos, words.c_str());
  }

 private:
  bool last() const { return ranks_.rank() == ranks_.size() - 1; }

  std::string failure(Params params) {
    params.folder = folder_.string();
    std::string words = "no failure";
    try {
      measure(params, context_);
    } catch (const CommonFailure& error) {
      words = error.what();
    }
    nothing_left();
    return words;
  }
  void nothing_left() {
    ranks_.barrier();
    expect(fs::is_empty(folder_), "nothing is left in the folder");
    ranks_.barrier();
  }

  std::vector<std::vector<int>> places_{{0}};
  Context context_{.ranks = ranks_, .places = places_};
  SharedFolder shared_;
  fs::path folder_ = shared_.path();
};

int run(int argc, char** argv) {
  const Communicator ranks(argc, argv);
  Cases cases(ranks);
  for (const std::string directories : {"private", "shared"}) {
    for (const std::int64_t shift : {-1, 0, 5}) {
      cases.measured({.items = 21,
                      .bytes = shift == 0 ? 0 : 5001,
                      .depth = 2,
                      .branch = 2,
                      .directories = directories,
                      .shift = shift,
                      .rounds = 2});
    }
  }
  cases.stopped_early();
  cases.walled();
  cases.no_space_for_one();
  cases.ended_by_a_signal();
  cases.too_large();
  cases.too_large_until_a_time();
  return cases.all_right() ? 0 : 1;
}

}  // namespace
}  // namespace banzuke::mdtest

int main(int argc, char** argv) { return banzuke::mdtest::run(argc, argv); }
