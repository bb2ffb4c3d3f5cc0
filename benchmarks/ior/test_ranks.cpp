// Runs whole, small measurements on all ranks that the launcher started. Exit status 1 if something is wrong.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/agreement.hpp"
#include "core/storage/backing.hpp"
#include "core/storage/file_system.hpp"
#include "core/storage/testing.hpp"
#include "core/testing.hpp"
#include "ior.hpp"
#include "layout.hpp"
#include "phase.hpp"

namespace banzuke::ior {
namespace {

namespace fs = std::filesystem;

class Cases : public RankTests {
 public:
  explicit Cases(const Communicator& ranks) : RankTests(ranks), shared_(ranks, "ior-ranks") {}

  Params params(Params params) const {
    params.folder = folder_.string();
    params.area = "area";
    params.rounds = 2;
    return params;
  }

  Result run(const Params& params, const std::string& name) {
    name_ = name;
    Result result = measure(params, context_);
    ranks_.barrier();
    expect(fs::is_empty(folder_), "the folder is empty again");
    ranks_.barrier();
    if (ranks_.rank() != 0) return result;
    const double asked = static_cast<double>(params.rank_bytes()) * ranks_.size();
    for (const auto& metric : result.metrics) {
      expect(metric.samples.size() == 2 && metric.samples[0] > 0.0, "a rate for each round");
      if (params.most_seconds == 0.0 && params.stonewall == 0.0) expect(metric.work.counted == asked, "all bytes");
    }
    expect(result.verification.size() == 1 && result.verification.front().passed(), "verified");
    for (const auto& [verb, series] : result.series) {
      double bytes = 0.0;
      for (const auto steps : series.lines.at(0).values) bytes += series.resolution * static_cast<double>(steps);
      const Metric& metric = result.metrics[verb == "write" || result.metrics.size() == 1 ? 0 : 1];
      const double end = metric.work.counted / metric.samples.back();
      expect(std::abs(series.lines.at(0).times.back() / end - 1.0) < 1e-9, "the series ends when the phase does");
      expect(bytes == metric.work.counted, "the series has all bytes");
    }
    return result;
  }

  void figures() {
    const bool in_memory = backing(file_system(folder_.string())).in_memory;
    const auto named = [&](const Result& result, std::size_t i, const std::string& name) {
      if (ranks_.rank() != 0) return;
      const Metric& metric = result.metrics.at(i);
      const bool cached = name.starts_with("cached") || in_memory;
      expect(metric.name == (cached && !name.starts_with("cached") ? "cached_" : "") + name, metric.name.c_str());
      expect(metric.work.demand.empty() == cached, "only the storage's own rate is asked of it");
    };
    for (const std::string files : {"per-process", "shared"}) {
      for (const std::string order : {"sequential", "random"}) {
        const Result result =
            run(params({.files = files, .block = 3 * 8192, .transfer = 8192, .segments = 4, .order = order}), files);
        named(result, 0, "write_bandwidth");
        named(result, 1, "read_bandwidth");
      }
    }
    named(run(params({.block = 64000, .transfer = 8000, .fsync = "no", .phases = "write"}), "not synchronised"), 0,
          "cached_write_bandwidth");
    named(run(params({.block = 65536, .transfer = 8192, .fsync = "no", .phases = "read"}), "read"), 0,
          "read_bandwidth");
  }

  // Options that only some backends have.
  void backends() {
    for (const std::string order : {"sequential", "random"}) {
      // 4 MiB are in flight at once, so many that the contents of these transfers might share memory.
      const Params deep = params(
          {.block = std::int64_t{9} << 20U, .transfer = std::int64_t{1} << 20U, .order = order, .queue_depth = 4});
      if (accepted(deep)) run(deep, "queue_depth");
      const Params together = params(
          {.files = "shared", .block = 3 * 8192, .transfer = 8192, .segments = 2, .order = order, .collective = "yes"});
      if (accepted(together)) run(together, "collective");
    }
    const Params limited = params({.files = "shared",
                                   .block = std::int64_t{32} << 20U,
                                   .transfer = std::int64_t{1} << 20U,
                                   .most_seconds = 1e-6,
                                   .collective = "yes"});
    if (accepted(limited)) {
      const Result result = run(limited, "collective and capped");
      if (ranks_.rank() != 0) return;
      expect(result.metrics.at(0).work.counted == static_cast<double>(ranks_.size()) * 8 * (1 << 20U),
             "all ranks stop together");
    }
  }

  void limits() {
    Result result = run(params({.block = std::int64_t{64} << 20U, .transfer = 65536, .most_seconds = 1e-6}), "capped");
    if (ranks_.rank() == 0) {
      const double once = 65536.0 * ranks_.size();
      expect(result.metrics.at(0).work.counted == once && result.metrics.at(1).work.counted == once, "one transfer");
      expect(Json(result.conditions).dump().find(R"("stopped_early":[)") != std::string::npos, "the record says so");
    }
    result = run(params({.block = std::int64_t{64} << 20U, .transfer = 4096, .stonewall = 1e-6}), "stonewall");
    if (ranks_.rank() == 0) {
      expect(result.metrics.at(0).work.counted == 65536.0 * ranks_.size(), "as much as the fastest");
      expect(Json(result.conditions).dump().find(R"("stonewall":{"write":{"seconds":)") != std::string::npos,
             "the rate until then is there too");
    }
  }

  // A run that ends with its time limit may ask for more than there is space for.
  void too_large_until_a_time() {
    const std::int64_t huge = std::int64_t{1} << 44U;  // a file system's largest file may be no larger
    for (const Params& one : {params({.block = huge, .transfer = 1 << 20U, .stonewall = 1e-6}),
                              params({.block = huge, .transfer = 1 << 20U, .most_seconds = 1e-6})}) {
      const Result result = run(one, "more than there is space for, until a time");
      if (ranks_.rank() != 0) continue;
      expect(result.metrics.at(0).work.counted == static_cast<double>(1 << 20U) * ranks_.size(), "one transfer");
      expect(Json(result.conditions).dump().find(R"("space_for_bytes":)") != std::string::npos, "the record says so");
    }
  }

  void synchronised_each() {
    const Params each = params({.block = 3 * 8192, .transfer = 8192, .fsync = "each"});
    if (accepted(each)) run(each, "each write synchronised");
    const Params together =
        params({.files = "shared", .block = 3 * 8192, .transfer = 8192, .fsync = "each", .collective = "yes"});
    if (accepted(together)) run(together, "each write synchronised, all ranks together");
  }

  // A byte that the storage has changed is found and located.
  void flipped() {
    name_ = "flipped";
    for (const std::string files : {"per-process", "shared"}) {
      const Params small = params({.files = files, .block = 16384, .transfer = 4096, .segments = 2});
      Memory memory(small, 7);
      WorkFolder folder(small.folder, "ior", ranks_);
      Phases phases(small, context_, folder, memory);
      const int last = ranks_.size() - 1;
      const Part own(small, ranks_.size(), ranks_.rank(), 7, 0);
      if (ranks_.rank() == 0 && small.shared()) {
        open_file(small, {.folder = folder, .name = own.name(), .create = true});
      }
      ranks_.barrier();
      phases.write(own, small.transfers());
      const std::int64_t at = own.offset_written(5) + 777;
      if (ranks_.rank() == last) {
        std::fstream file(fs::path(folder.path()) / own.name(), std::ios::in | std::ios::out | std::ios::binary);
        file.seekg(at);
        const int byte = file.get();
        file.seekp(at);
        file.put(static_cast<char>(byte ^ 1));
      }
      ranks_.barrier();
      const Wrong wrong = phases.verify(own, small.transfers(), ranks_.rank());
      if (ranks_.rank() == last) {
        const std::string where =
            "byte " + std::to_string(at) + " of " + own.name() + ", which rank " + std::to_string(last) + " wrote";
        expect(wrong.transfers == 1 && wrong.first.starts_with(where), wrong.first.c_str());
      } else {
        expect(wrong.transfers == 0 && wrong.first.empty(), "others' data is right");
      }
      folder.remove(ranks_);
    }
  }

  // If one rank fails, all ranks fail with its message, and nothing is left behind.
  void failures() {
    fails({.block = std::int64_t{1} << 50U}, "bytes are needed");
    fails({.block = 8192, .transfer = 8192, .stripe_count = 4}, "which has no striping");
    name_ = "a file that is not there";
    const Params small = params({.block = 8192, .transfer = 8192});
    Memory memory(small, 7);
    WorkFolder folder(small.folder, "ior", ranks_);
    Phases phases(small, context_, folder, memory);
    std::string words;
    try {
      phases.read(Part(small, ranks_.size(), ranks_.rank(), 7, 0), 1);
    } catch (const CommonFailure& failure) {
      words = failure.what();
    }
    expect(words.find("bz.0: ") != std::string::npos, words.c_str());

    name_ = "a file that is too short";
    const Part own(small, ranks_.size(), ranks_.rank(), 7, 0);
    phases.write(own, small.transfers());
    if (ranks_.rank() == 0) fs::resize_file(fs::path(folder.path()) / own.name(), 100);
    ranks_.barrier();
    words.clear();
    try {
      phases.read(own, 1);
    } catch (const CommonFailure& failure) {
      words = failure.what();
    }
    const std::string first = fs::path(folder.path()) / std::string("bz.0");
    expect(words.find("cannot read 8192 bytes at byte 0 of " + first + ": ") != std::string::npos, words.c_str());
    folder.remove(ranks_);
  }

 private:
  bool accepted(const Params& params) const {
    try {
      problem(params, ranks_.size());
      return true;
    } catch (const UsageError&) {
      return false;
    }
  }
  void fails(const Params& wrong, const std::string& why) {
    name_ = why;
    std::string words;
    try {
      measure(params(wrong), context_);
    } catch (const CommonFailure& failure) {
      words = failure.what();
    }
    expect(words.find(why) != std::string::npos, words.c_str());
    ranks_.barrier();
    expect(fs::is_empty(folder_), "the folder is empty again");
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
  cases.figures();
  cases.limits();
  cases.too_large_until_a_time();
  cases.synchronised_each();
  cases.backends();
  cases.flipped();
  cases.failures();
  return cases.all_right() ? 0 : 1;
}

}  // namespace
}  // namespace banzuke::ior

int main(int argc, char** argv) { return banzuke::ior::run(argc, argv); }
