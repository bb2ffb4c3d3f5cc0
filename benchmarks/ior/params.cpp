#include <algorithm>
#include <limits>

#include "core/storage/contents.hpp"
#include "file.hpp"
#include "ior.hpp"
#include "timeline.hpp"

namespace banzuke::ior {
namespace {

constexpr std::int64_t most_block = std::int64_t{1} << 50U;
constexpr std::int64_t most_transfer = std::int64_t{1} << 30U;  // Linux transfers at most 2 GiB less a page
constexpr std::int64_t most_file = std::int64_t{1} << 62U;

// Returns the multiples of `step` next to `value`.
std::vector<Json::Object> beside(const char* name, std::int64_t value, std::int64_t step) {
  const std::int64_t below = value / step * step;
  std::vector<Json::Object> out;
  if (below > 0) out.push_back({{name, below}});
  out.push_back({{name, below + step}});
  return out;
}

void check(const Params& params, int ranks) {
  const std::int64_t step = params.direct() ? direct_step : 8;
  if (params.transfer % step != 0) {
    throw UsageError("transfer: " + std::to_string(params.transfer) + " bytes are no multiple of " +
                         std::to_string(step) + (params.direct() ? ", as direct access needs it" : ""),
                     beside("transfer", params.transfer, step));
  }
  if (params.block % params.transfer != 0) {
    throw UsageError("block: " + std::to_string(params.block) + " bytes are no multiple of the transfer, " +
                         std::to_string(params.transfer),
                     beside("block", params.block, params.transfer));
  }
  if (params.segments > most_file / ranks / params.block) {
    throw UsageError("segments: " + std::to_string(params.segments) + " of " + std::to_string(params.block) +
                         " bytes on " + std::to_string(ranks) + " ranks are more than a file may have",
                     {{{"segments", std::max<std::int64_t>(1, most_file / ranks / params.block)}}});
  }
  if (params.collective == "yes" && !params.shared()) {
    throw UsageError("collective: a file of each process has no other ranks to work with",
                     {{{"collective", "no"}}, {{"files", "shared"}}});
  }
  check_backend(params);
}

}  // namespace

void declare(Parameters& parameters, Params& params) {
  parameters.add("folder", params.folder, "where the files are made, in a folder of their own that is removed");
  parameters.add("area", params.area, "name of this storage in the record; empty: where it is mounted");
  parameters.add("files", params.files, "a file for each rank, or one that all share", {"per-process", "shared"});
  parameters.add("block", params.block, "bytes of a rank that lie together in the file", {.min = 8, .max = most_block});
  parameters.add("transfer", params.transfer, "bytes of one write or read", {.min = 8, .max = most_transfer});
  parameters.add("segments", params.segments, "blocks of each rank", {.min = 1, .max = std::int64_t{1} << 40U});
  parameters.add("access", params.access, "through the page cache, or past it (O_DIRECT)", {"buffered", "direct"});
  parameters.add("fsync", params.fsync,
                 "whether the clock of writing runs until the storage has the data; each: so does every write",
                 {"yes", "no", "each"});
  parameters.add("order", params.order, "of a rank's transfers; random: each once", {"sequential", "random"});
  parameters.add("shift", params.shift, "how many ranks further on the data is that a rank reads; -1: another host's",
                 {.min = -1, .max = std::numeric_limits<int>::max()});
  parameters.add("phases", params.phases, "what is timed; read: writing is not", {"write-read", "write", "read"});
  parameters.add("rounds", params.rounds, "how often, each with new files", {.min = 1, .max = 10000});
  parameters.add("stonewall", params.stonewall,
                 "seconds after which all ranks write or read only as much as the fastest one has; 0: no such time",
                 {.min = 0.0, .max = 1e6});
  parameters.add("most_seconds", params.most_seconds,
                 "seconds after which a phase begins no more transfers; 0: no such time", {.min = 0.0, .max = 1e6});
  parameters.add("queue_depth", params.queue_depth, "transfers of a rank under way at once (io_uring)",
                 {.min = 1, .max = 4096});
  parameters.add("collective", params.collective, "whether all ranks transfer together (MPI-IO)", {"yes", "no"});
  parameters.add("stripe_count", params.stripe_count,
                 "over how many targets a file is spread (Lustre, BeeGFS); -1: all, 0: as the folder has it",
                 {.min = -1, .max = 65535});
  parameters.add("stripe_size", params.stripe_size, "bytes on one target before the next; 0: as the folder has it",
                 {.min = 0, .max = std::int64_t{1} << 40U});
}

Problem problem(const Params& params, int ranks) {
  check(params, ranks);
  const double footprint = static_cast<double>(Contents::base_bytes(params.transfer, params.queue_depth)) +
                           static_cast<double>(params.transfer * read_places(params)) + Timeline::footprint;
  const double bytes = static_cast<double>(params.rank_bytes()) * ranks;
  const double needed = params.stonewall > 0.0 ? 0.0 : bytes;  // a time limit also limits the space
  return {.footprint = footprint,
          .facts = {{"storage_bytes", bytes},
                    {"space_bytes", needed},
                    {"file_count", params.shared() ? 1 : ranks},
                    {"file_bytes", params.shared() ? bytes : static_cast<double>(params.rank_bytes())}}};
}

}  // namespace banzuke::ior
