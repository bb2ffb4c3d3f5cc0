#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/agreement.hpp"
#include "core/clock.hpp"
#include "core/storage/file_system.hpp"
#include "core/storage/mounts.hpp"
#include "core/storage/stragglers.hpp"
#include "core/storage/work_folder.hpp"
#include "items.hpp"
#include "mdtest.hpp"
#include "pace.hpp"

namespace banzuke::mdtest {
namespace {

using Counts = std::vector<double>;  // indexed by the rank that made the items

std::string whole(double number) { return std::to_string(std::llround(number)); }

// A rank works on the items of the rank this number of shifts further on. As in mdtest, each kind of phase has another
// one.
enum class Turn { make = 0, ask = 1, read = 2, remove = 3 };

struct Figure {
  Metric metric;
  std::optional<Json> slowest;  // of the last round, if all ranks have equally much to do
};

// All phases, round by round.
class Measurement {
 public:
  // `most`: items per rank that there is space for.
  Measurement(const Params& params, const Context& context, const WorkFolder& folder, std::int64_t most)
      : params_(params),
        most_(most),
        context_(context),
        ranks_(context.ranks),
        mounts_(ranks_, folder.descriptor()),
        common_(folder.common()),
        shift_(shift(params, mounts_, common_) % ranks_.size()),
        items_(params, folder.descriptor(), folder.path(), ranks_.rank(),
               of_first_rank(ranks_, std::random_device{}())),
        steps_(params.items * params.rounds * (8 + (cold(Turn::ask) ? 2 : 0))),
        budget_(params.most_seconds, steps_ / params.items) {}

  Result run() {
    const Watch watch;
    for (std::int64_t round = 0; round == 0 || (round < params_.rounds && !spent()); ++round) {
      tree("tree_create_rate", [&] { return items_.make_tree(); });
      directories();
      files();
      tree("tree_remove_rate", [&] { return items_.remove_tree(); });
    }
    Result result;
    result.conditions = watch.conditions();
    result.conditions.emplace_back("mounts", mounts_.count());
    result.conditions.emplace_back("rank_shift", shift_);
    if (most_ < params_.items) result.conditions.emplace_back("space_for_items", most_);
    if (!stopped_.empty()) result.conditions.emplace_back("stopped_early", Json::array(stopped_));
    Json slowest = Json::object();
    for (auto& figure : figures_) {
      if (figure.slowest) slowest.set(figure.metric.name, std::move(*figure.slowest));
      result.metrics.push_back(std::move(figure.metric));
    }
    result.conditions.emplace_back("ranks", std::move(slowest));
    result.verification = {verification("items of another kind or size than they were made", asked_),
                           verification("files with other contents than were written", contents_),
                           verification("items left after all were removed", left_)};
    return result;
  }

 private:
  // If hosts do not share the folder, the shift is 0: ranks work on their own items.
  static int shift(const Params& params, const Mounts& mounts, bool common) {
    if (!common) return 0;
    return params.shift < 0 ? mounts.shift() : static_cast<int>(params.shift);
  }
  bool spent() const { return ranks_.maximum(budget_.spent() ? 1.0 : 0.0) > 0.0; }
  int owner(Turn turn) const { return (ranks_.rank() + static_cast<int>(turn) * shift_) % ranks_.size(); }

  // Returns whether no rank works in this turn on items that an earlier turn has accessed through the same mount.
  bool cold(Turn turn) const {
    for (int on = 1; on <= static_cast<int>(turn); ++on) {
      if (!mounts_.apart(on * shift_ % ranks_.size())) return false;
    }
    return true;
  }

  Verification verification(const std::string& quantity, const Wrong& own) const {
    double count = own.count;
    ranks_.sum({&count, 1});
    std::string first;
    for (const auto& text : ranks_.gather(own.first)) {
      if (first.empty() && !text.empty()) first = ", first " + text;
    }
    return {.quantity = quantity + first, .value = count, .tolerance = 0.0};
  }

  // Runs `part` on all ranks at the same time and adds a sample. Returns, as `part` does, the number of items
  // processed. `by_all`: all ranks have equally much to do.
  std::int64_t timed(const std::string& name, bool by_all, const std::function<std::int64_t()>& part) {
    Context::step(name);
    std::string failure;
    std::int64_t through = 0;
    ranks_.barrier();
    const double start = now();
    try {
      through = part();
    } catch (const std::exception& error) {
      failure = error.what();
    }
    const double alone = now() - start;
    ranks_.barrier();
    const double seconds = ranks_.maximum(now() - start);
    agree(ranks_, failure);

    auto all = static_cast<double>(through);
    ranks_.sum({&all, 1});
    if (all == 0.0) return 0;  // stopped before the first one
    auto figure = std::ranges::find(figures_, name, [](const Figure& one) { return one.metric.name; });
    if (figure == figures_.end()) {
      figure = figures_.insert(figures_.end(), {.metric = {name, "op/s", {}, {.counted = all}}, .slowest = {}});
    }
    figure->metric.samples.push_back(all / seconds);
    if (by_all) figure->slowest = slowest(ranks_, static_cast<double>(through) / alone);
    return through;
  }

  void tree(const std::string& name, const std::function<std::int64_t()>& part) {
    const bool first = common_ ? ranks_.rank() == 0 : ranks_.local_rank() == 0;
    const bool by_all = params_.directories == "private";
    timed(name, by_all, [&] { return by_all || first ? part() : 0; });
  }

  // Runs a phase: each rank processes the items of one other rank. `there` has the number of existing items for each
  // owner; returns the numbers of processed ones.
  template <class Part>
  Counts phase(const std::string& name, Turn turn, const Counts& there, const Part& part) {
    const auto whose = static_cast<std::size_t>(owner(turn));
    const bool walled = turn == Turn::make && params_.stonewall > 0.0;
    const double deadline = std::min(budget_.next(), walled ? now() + params_.stonewall : Budget::never);
    // Items that were made are removed however long it takes.
    Pace pace(context_, turn == Turn::remove ? Budget::never : deadline, steps_done_, steps_);
    const auto count = static_cast<std::int64_t>(there[whose]);
    Counts through(there.size(), 0.0);
    through[whose] = static_cast<double>(timed(name, true, [&] { return part(owner(turn), count, pace); }));
    ranks_.sum(through);
    if (through != there && std::ranges::find(stopped_, name) == stopped_.end()) stopped_.push_back(name);
    steps_done_ += params_.items;
    return through;
  }

  // Asks through a mount that has not accessed the items yet, if there is one, and then through one that has.
  template <class Part>
  void ask(const std::string& name, const Counts& there, const Part& part) {
    if (cold(Turn::ask)) phase(name, Turn::ask, there, part);
    phase("cached_" + name, Turn::ask, there, part);
  }

  Counts all() const {
    Counts out;
    out.assign(static_cast<std::size_t>(ranks_.size()), static_cast<double>(most_));
    return out;
  }

  void directories() {
    const Counts made =
        phase("directory_create_rate", Turn::make, all(),
              [&](int owner, std::int64_t count, Pace& pace) { return items_.make_directories(owner, count, pace); });
    ask("directory_stat_rate", made,
        [&](int owner, std::int64_t count, Pace& pace) { return items_.ask_directories(owner, count, pace, asked_); });
    const Counts renamed =
        phase("directory_rename_rate", Turn::ask, made,
              [&](int owner, std::int64_t count, Pace& pace) { return items_.rename_directories(owner, count, pace); });
    phase("directory_remove_rate", Turn::remove, made, [&](int owner, std::int64_t count, Pace& pace) {
      const auto of_owner = static_cast<std::int64_t>(renamed[static_cast<std::size_t>(owner)]);
      return items_.remove_directories(owner, count, of_owner, pace);
    });
    find_left();
  }

  void files() {
    const Counts made = phase("file_create_rate", Turn::make, all(), [&](int owner, std::int64_t count, Pace& pace) {
      return items_.make_files(owner, count, pace);
    });
    ask("file_stat_rate", made,
        [&](int owner, std::int64_t count, Pace& pace) { return items_.ask_files(owner, count, pace, asked_); });
    const std::string cached = cold(Turn::read) ? "" : "cached_";
    phase(cached + "file_read_rate", Turn::read, made,
          [&](int owner, std::int64_t count, Pace& pace) { return items_.read_files(owner, count, pace); });
    together(ranks_, [&] {
      const int whose = owner(Turn::read);
      items_.verify_files(whose, static_cast<std::int64_t>(made[static_cast<std::size_t>(whose)]), contents_);
    });
    phase("file_remove_rate", Turn::remove, made,
          [&](int owner, std::int64_t count, Pace& pace) { return items_.remove_files(owner, count, pace); });
    find_left();
  }

  void find_left() {
    together(ranks_, [&] { items_.find_left(owner(Turn::ask), ranks_.size(), left_); });
  }

  const Params& params_;
  std::int64_t most_;
  const Context& context_;
  const Communicator& ranks_;
  Mounts mounts_;
  bool common_;
  int shift_;
  Items items_;
  std::int64_t steps_;
  std::int64_t steps_done_ = 0;
  Budget budget_;
  std::vector<Figure> figures_;
  std::vector<std::string> stopped_;  // phases
  Wrong asked_;
  Wrong contents_;
  Wrong left_;
};

// Returns the number of items per rank that there is space for (for the ranks of one host if hosts do not share the
// folder). A run with a time limit gets a share of the free space; others throw if it cannot hold all files.
std::int64_t room(const Params& params, const Communicator& ranks, const WorkFolder& folder) {
  constexpr double share = 0.5;
  const auto items = static_cast<double>(params.items) * (folder.common() ? ranks.size() : 1);
  auto least = static_cast<double>(params.items);
  const auto within = [&](const std::string& what, double each, double free) {
    const double needed = items * each;
    if (needed <= free) return;
    const double part = std::floor(static_cast<double>(params.items) * share * free / needed);
    if ((params.most_seconds == 0.0 && params.stonewall == 0.0) || part < 1.0) {
      throw std::runtime_error(params.folder + " has " + whole(free) + " " + what + " free, but " + whole(needed) +
                               " are needed: fewer items or bytes?");
    }
    least = std::min(least, part);
  };
  within("bytes", static_cast<double>(params.bytes), free_bytes(folder.descriptor()));
  if (const auto free = free_files(folder.descriptor())) within("files", 1.0, *free);
  return static_cast<std::int64_t>(least);
}

}  // namespace

Result measure(const Params& params, const Context& context) {
  const Communicator& ranks = context.ranks;
  WorkFolder folder(params.folder, "mdtest", ranks);
  double most = 0.0;
  together(ranks, [&] { most = static_cast<double>(room(params, ranks, folder)); });
  most = -ranks.maximum(-most);
  Result result = Measurement(params, context, folder, static_cast<std::int64_t>(most)).run();
  const FileSystem system = file_system(folder.path());
  result.areas.emplace_back(
      params.area.empty() ? system.mount : params.area,
      Area{.path = params.folder, .type = system.type, .settings = striping(system, folder.path())});
  if (!folder.left().empty()) result.conditions.emplace_back("folders_left", Json::array(folder.left()));
  folder.remove(ranks);
  return result;
}

}  // namespace banzuke::mdtest
