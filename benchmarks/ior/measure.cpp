#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "core/agreement.hpp"
#include "core/cpulist.hpp"
#include "core/storage/backing.hpp"
#include "core/storage/file_system.hpp"
#include "core/storage/mounts.hpp"
#include "core/storage/page_cache.hpp"
#include "core/storage/replaced.hpp"
#include "core/storage/stragglers.hpp"
#include "evidence.hpp"
#include "ior.hpp"
#include "layout.hpp"
#include "phase.hpp"
#include "timed.hpp"

namespace banzuke::ior {
namespace {

// Returns a seed that differs from that of any earlier run, so that storage that deduplicates finds no equal data.
std::uint64_t new_seed(const Communicator& ranks) {
  std::uint64_t seed = 0;
  if (ranks.rank() == 0 && getrandom(&seed, sizeof seed, 0) != static_cast<ssize_t>(sizeof seed)) {
    throw_errno("draw a random number");
  }
  return of_first_rank(ranks, seed);
}

// System calls on which the evidence relies that a figure is that of the storage, not of a cache.
constexpr std::array evident_calls{"fsync",    "fdatasync",     "sync_file_range", "open",    "open64", "openat",
                                   "openat64", "posix_fadvise", "posix_fadvise64", "mincore", "syscall"};

// Largest share of the free space that is used, so that runs limited by time and not by size do not fill the file
// system.
constexpr double share_of_space = 0.5;

class Measurement {
 public:
  Measurement(const Params& params, const Context& context)
      : params_(params),
        ranks_(context.ranks),
        seed_(new_seed(ranks_)),
        memory_(params, seed_),
        folder_(params.folder, "ior", ranks_),
        mounts_(ranks_, folder_.descriptor()),
        system_(file_system(folder_.path())),
        backing_(backing(system_)),
        in_memory_(any(backing_.in_memory)),
        drops_fsync_(any(system_.drops_fsync())),
        in_user_space_(any(system_.in_user_space())),
        cached_below_(any(!backing_.caches.empty())),
        phases_(params, context, folder_, memory_),
        replaced_(replaced(evident_calls)),
        any_replaced_(any(!replaced_.empty())),
        most_(params.transfers()) {}

  Result run() {
    try {
      prepare();
      Watch watch;
      for (std::int64_t round = 0; round < params_.rounds; ++round) this->round(round, watch);
      Result result = this->result(watch);
      folder_.remove(ranks_);
      return result;
    } catch (const CommonFailure&) {
      folder_.remove(ranks_);
      throw;
    }
  }

 private:
  int rank() const { return ranks_.rank(); }
  bool any(bool own) const { return ranks_.maximum(own ? 1.0 : 0.0) > 0.0; }
  std::string name(std::int64_t round, const char* phase) const {
    return "round " + std::to_string(round + 1) + ", " + phase;
  }

  void prepare() {
    together(ranks_, [&] {
      if (params_.shared() && !folder_.common()) {
        throw std::runtime_error("one file cannot be shared: every host has a file system of its own in " +
                                 params_.folder + "; use files=per-process");
      }
      const double ranks = folder_.common() ? ranks_.size() : mounts_.ranks(mounts_.of(rank()));
      const double needed = ranks * static_cast<double>(params_.rank_bytes());
      const double free = free_bytes(folder_.descriptor());
      const bool until_a_time = params_.stonewall > 0.0 || params_.most_seconds > 0.0;
      if (needed > free && until_a_time) most_ = transfers_within(share_of_space * free / ranks);
      if (most_ == 0 || (needed > free && !until_a_time)) {
        throw std::runtime_error("not enough space in " + params_.folder + ": " + std::to_string(std::llround(needed)) +
                                 " bytes are needed, " + std::to_string(std::llround(free)) +
                                 " are free; make block or segments smaller");
      }
      if (rank() == 0) {
        set_striping(system_, folder_.path(), {.count = params_.stripe_count, .size = params_.stripe_size});
      }
    });
    most_ = -static_cast<std::int64_t>(ranks_.maximum(-static_cast<double>(most_)));
    const int size = ranks_.size();
    if (params_.shift >= 0) {
      shift_ = static_cast<int>(params_.shift % size);
    } else if (folder_.common()) {
      shift_ = mounts_.shift() % size;
    }
    if (!folder_.common() && shift_ != 0) {
      throw CommonFailure("shift: every host has a file system of its own in " + params_.folder +
                          ", so that ranks can read only what their host wrote; use shift=0");
    }
  }

  // Returns how many transfers fit into so many bytes of free space. A transfer takes at least one block of the file
  // system.
  std::int64_t transfers_within(double bytes) const {
    constexpr std::int64_t block = 4096;
    return static_cast<std::int64_t>(bytes / static_cast<double>(std::max(params_.transfer, block)));
  }

  void round(std::int64_t round, Watch& watch) {
    const int owner = (rank() + shift_) % ranks_.size();
    const Part own(params_, ranks_.size(), rank(), seed_, round);
    const Part other(params_, ranks_.size(), owner, seed_, round);
    const bool last = round + 1 == params_.rounds;
    make_shared(own);
    Context::step(name(round, "writing"));
    const bool counted = params_.phases != "read";
    const Moved written = counted ? timed(watch, [&] { return phases_.write(own, most_); }) : phases_.write(own, most_);
    std::vector<double> counts(static_cast<std::size_t>(ranks_.size()));
    counts[static_cast<std::size_t>(rank())] = static_cast<double>(written.transfers);
    ranks_.sum(counts);
    const auto count = static_cast<std::int64_t>(counts[static_cast<std::size_t>(owner)]);
    const auto in_file = [&](std::int64_t of_one) { return bytes_of(params_.shared() ? of_all(counts) : of_one); };
    Evidence of_write = write_evidence(use(written), params_.synchronised());
    if (params_.phases != "write" || of_write.storage) settle(own);
    if (counted && of_write.storage) {
      of_write = write_evidence(use(written), params_.synchronised(), cached_share(own, in_file(written.transfers)));
    }
    if (counted) add(write_, written, of_write, last);
    if (params_.phases != "write") {
      const auto cached = cached_share(other, in_file(count));
      cached_share_ = std::max(cached_share_, cached.value_or(0.0));
      Context::step(name(round, "reading"));
      const Moved read = timed(watch, [&] { return phases_.read(other, count); });
      add(read_, read, read_evidence(use(read), cached, mounts_.apart(shift_)), last);
    }
    Context::step(name(round, "verifying"));
    add(phases_.verify(other, count, owner));
    if (last) settings_ = striping(system_, folder_.path() + "/" + own.name());
    remove(own);
  }

  template <class Phase>
  static Moved timed(Watch& watch, const Phase& phase) {
    const auto part = watch.part();
    return phase();
  }

  // Creates the shared file once, before the timed part. MPI then opens no file that another program put there.
  void make_shared(const Part& own) {
    if (!params_.shared()) return;
    together(ranks_, [&] {
      if (rank() == 0) open_file(params_, {.folder = folder_, .name = own.name(), .create = true});
    });
  }

  // Writes the file's data to the storage (fsync), and drops its pages from this host's memory.
  void settle(const Part& own) {
    together(ranks_, [&] {
      const Descriptor file = open_file(params_, {.folder = folder_, .name = own.name(), .direction = Direction::read});
      if (fsync(file.get()) != 0) throw_errno("write " + own.name() + " to the storage (fsync)");
      drop_cached(file.get());
    });
  }

  static std::int64_t of_all(const std::vector<double>& counts) {
    return static_cast<std::int64_t>(std::accumulate(counts.begin(), counts.end(), 0.0));
  }

  // Returns the cached share of the bytes written to a file, the largest over the ranks; none if unknown.
  std::optional<double> cached_share(const Part& other, double written) {
    double share = 0.0;
    together(ranks_, [&] {
      const Descriptor file =
          open_file(params_, {.folder = folder_, .name = other.name(), .direction = Direction::read});
      drop_cached(file.get());
      struct stat status{};
      if (fstat(file.get(), &status) != 0) throw_errno("ask for the size of " + other.name());
      const auto bytes = cached_bytes(file.get(), 0, status.st_size);
      share = bytes ? std::min(1.0, *bytes / written) : 2.0;  // an impossible share stands for unknown
    });
    share = ranks_.maximum(share);
    if (share > 1.5) return std::nullopt;
    return share;
  }

  // Returns the lower caches of all hosts, each once; only on the first rank.
  Json::Array caches_below() const {
    std::string own;
    for (const auto& [kind, device, over] : backing_.caches) {
      for (const auto& text : {kind, device, over}) own += text + '\0';
    }
    std::vector<Cache> found;
    Json::Array out;
    for (const auto& of_rank : ranks_.gather(own)) {
      const auto texts = split(of_rank, '\0');
      for (std::size_t i = 0; i + 2 < texts.size(); i += 3) {
        const Cache cache{.kind = texts[i], .device = texts[i + 1], .over = texts[i + 2]};
        if (std::ranges::find(found, cache) != found.end()) continue;
        found.push_back(cache);
        Json::Object about{{"kind", cache.kind}, {"device", cache.device}};
        if (!cache.over.empty()) about.emplace_back("over", cache.over);
        out.emplace_back(std::move(about));
      }
    }
    return out;
  }

  void remove(const Part& own) {
    ranks_.barrier();
    together(ranks_, [&] {
      if (params_.shared() && rank() != 0) return;
      if (unlinkat(folder_.descriptor(), own.name().c_str(), 0) != 0) throw_errno("remove " + own.name());
    });
  }

  // Returns the use of the mount through which most data moved. It is the same on all ranks, because collective calls
  // depend on it.
  Use use(const Moved& moved) const {
    std::vector<double> bytes(static_cast<std::size_t>(mounts_.count()));
    bytes[static_cast<std::size_t>(mounts_.of(rank()))] = bytes_of(moved.transfers);
    ranks_.sum(bytes);
    return {.in_memory = in_memory_,
            .direct = params_.direct(),
            .drops_fsync = drops_fsync_,
            .replaced = any_replaced_,
            .in_user_space = in_user_space_,
            .cached_below = cached_below_,
            .bytes = *std::ranges::max_element(bytes),
            .memory = ranks_.maximum(host_memory())};
  }

  double bytes_of(std::int64_t transfers) const { return static_cast<double>(transfers * params_.transfer); }

  void add(Timed& timed, const Moved& moved, const Evidence& evidence, bool last) {
    std::array sums{bytes_of(moved.transfers), bytes_of(moved.at_stonewall)};
    ranks_.sum(sums);
    const double seconds = ranks_.maximum(moved.seconds);
    timed.metric.samples.push_back(sums[0] / seconds);
    timed.metric.work.counted = sums[0];
    add(timed.parts, moved);
    timed.judge(evidence);
    timed.stopped = ranks_.maximum(moved.stopped ? 1.0 : 0.0) > 0.0 || timed.stopped;
    if (!last) return;
    if (params_.stonewall > 0.0) {
      const double until = ranks_.maximum(moved.stonewall_seconds);
      timed.stonewall = Json::object({{"seconds", until}, {"bytes", sums[1]}, {"rate", sums[1] / until}});
    }
    timed.slowest = slowest(ranks_, bytes_of(moved.transfers) / moved.seconds);
    timed.series = series_of(moved, params_.transfer, ranks_);
  }

  void add(Parts& parts, const Moved& moved) const {
    const auto least = [&](double value) { return -ranks_.maximum(-value); };
    parts.open.push_back(ranks_.maximum(moved.opened));
    parts.transfer.push_back(ranks_.maximum(moved.transferred) - least(moved.opened));
    parts.close.push_back(ranks_.maximum(moved.seconds) - least(moved.transferred));
    parts.total.push_back(ranks_.maximum(moved.seconds));
    parts.latency.push_back(least((moved.transferred - moved.opened) / static_cast<double>(moved.transfers)));
  }

  void add(const Wrong& wrong) {
    auto all = static_cast<double>(wrong.transfers);
    ranks_.sum({&all, 1});
    wrong_ += all;
    for (const auto& first : ranks_.gather(wrong.first)) {
      if (first_wrong_.empty()) first_wrong_ = first;
    }
  }

  Result result(const Watch& watch) {
    Result result;
    result.conditions = watch.conditions();
    auto& conditions = result.conditions;
    const std::string area = params_.area.empty() ? system_.mount : params_.area;
    Json::Object ranks;
    Json::Array stopped;
    Json::Object stonewall;
    Json::Object parts;
    for (Timed* timed : {&write_, &read_}) {
      Metric& metric = timed->metric;
      if (metric.samples.empty()) continue;
      const std::string verb(timed->verb);
      const bool storage = timed->evidence.storage;
      metric.name = (storage ? "" : "cached_") + verb + "_bandwidth";
      metric.unit = "B/s";
      if (storage) {
        metric.work.demand = {{.resource = "storage." + verb, .amount = metric.work.counted, .area = area}};
      }
      conditions.emplace_back(verb == "read" ? "read_from" : "write_to", storage ? "storage" : "cache");
      conditions.emplace_back(verb + "_evidence", std::string(timed->evidence.code));
      ranks.emplace_back(metric.name, std::move(timed->slowest));
      if (timed->stopped) stopped.emplace_back(metric.name);
      if (params_.stonewall > 0.0) stonewall.emplace_back(verb, std::move(timed->stonewall));
      parts.emplace_back(verb, timed->parts.json());
      result.series.emplace_back(verb, std::move(timed->series));
      result.metrics.push_back(std::move(metric));
    }
    if (auto caches = caches_below(); !caches.empty()) conditions.emplace_back("cached_below", std::move(caches));
    conditions.emplace_back("ranks", std::move(ranks));
    conditions.emplace_back("parts", std::move(parts));
    if (!stopped.empty()) conditions.emplace_back("stopped_early", std::move(stopped));
    if (!stonewall.empty()) conditions.emplace_back("stonewall", std::move(stonewall));
    conditions.emplace_back("mounts", mounts_.count());
    if (params_.phases != "write") {
      conditions.emplace_back("rank_shift", shift_);
      conditions.emplace_back("read_by_other_mounts", mounts_.apart(shift_));
      conditions.emplace_back("read_cached_share", cached_share_);
    }
    if (most_ < params_.transfers()) conditions.emplace_back("space_for_bytes", bytes_of(most_) * ranks_.size());
    if (!replaced_.empty()) conditions.emplace_back("replaced_calls", Json::array(replaced_));
    if (!folder_.left().empty()) conditions.emplace_back("folders_left", Json::array(folder_.left()));
    settings_.insert(settings_.begin(), {{"mount", system_.mount}, {"source", system_.source}});
    result.areas.emplace_back(area,
                              Area{.path = params_.folder, .type = system_.type, .settings = std::move(settings_)});
    result.verification.push_back({.quantity = "transfers read back otherwise than written" +
                                               (first_wrong_.empty() ? "" : ", first " + first_wrong_),
                                   .value = wrong_,
                                   .tolerance = 0.0});
    return result;
  }

  const Params& params_;
  const Communicator& ranks_;
  std::uint64_t seed_;
  Memory memory_;  // allocated before there are files, so that none are left behind if there is too little
  WorkFolder folder_;
  Mounts mounts_;
  FileSystem system_;
  Backing backing_;
  bool in_memory_;
  bool drops_fsync_;
  bool in_user_space_;
  bool cached_below_;
  Phases phases_;
  std::vector<std::string> replaced_;
  bool any_replaced_;
  std::int64_t most_;  // transfers per rank that there is space for
  int shift_ = 0;
  Timed write_{.verb = "write"};
  Timed read_{.verb = "read"};
  double cached_share_ = 0.0;
  double wrong_ = 0.0;
  std::string first_wrong_;
  Json::Object settings_;
};

}  // namespace

Result measure(const Params& params, const Context& context) { return Measurement(params, context).run(); }

}  // namespace banzuke::ior
