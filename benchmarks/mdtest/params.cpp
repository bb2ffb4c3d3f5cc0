#include <algorithm>
#include <string>

#include "core/storage/contents.hpp"
#include "mdtest.hpp"
#include "tree.hpp"

namespace banzuke::mdtest {
namespace {

constexpr std::int64_t most_items = std::int64_t{1} << 40U;
constexpr std::int64_t most_bytes = std::int64_t{1} << 30U;
constexpr std::int64_t most_directories = 1'000'000;  // of a tree; every rank holds all its paths in memory

void check(const Params& params) {
  const std::int64_t all = directories(params.depth, params.branch);
  if (all > most_directories) {
    std::int64_t depth = params.depth;
    while (directories(depth, params.branch) > most_directories) --depth;
    throw UsageError("depth: a tree has at most " + std::to_string(most_directories) + " directories, not those of " +
                         std::to_string(params.depth) + " levels with " + std::to_string(params.branch) +
                         " branches each",
                     {{{"depth", depth}}});
  }
  const std::int64_t holding = holders(params.depth, params.branch, params.holders == "leaves");
  if (params.items % holding == 0) return;
  const std::int64_t below = params.items / holding * holding;
  std::vector<Json::Object> nearest;
  if (below > 0) nearest.push_back({{"items", below}});
  nearest.push_back({{"items", below + holding}});
  throw UsageError("items: each of the tree's " + std::to_string(holding) +
                       (holding < all ? " leaves" : " directories") + " holds as many, so " +
                       std::to_string(params.items) + " is no multiple",
                   nearest);
}

}  // namespace

void declare(Parameters& parameters, Params& params) {
  parameters.add("folder", params.folder, "where to measure; a folder is made in it and removed at the end");
  parameters.add("area", params.area, "the storage area's name in the record; empty: the mount point");
  parameters.add("items", params.items, "directories, and then files, of a rank", {.min = 1, .max = most_items});
  parameters.add("bytes", params.bytes, "written to each file, and read", {.min = 0, .max = most_bytes});
  parameters.add("depth", params.depth, "levels of the tree below its root", {.min = 0, .max = 100});
  parameters.add("branch", params.branch, "branches of each directory of the tree", {.min = 1, .max = 100'000});
  parameters.add("holders", params.holders, "which directories of the tree hold items", {"all", "leaves"});
  parameters.add("directories", params.directories, "whether each rank has a tree of its own or all share one",
                 {"private", "shared"});
  parameters.add("fsync", params.fsync, "whether the storage has each file's data before it is closed", {"no", "yes"});
  parameters.add("shift", params.shift,
                 "ranks by which each phase goes on to another's items; 0: they keep to their own, -1: the fewest by "
                 "which all meet another host's",
                 {.min = -1, .max = 1 << 24});
  parameters.add("rounds", params.rounds, "repetitions of all phases", {.min = 1, .max = 1000});
  parameters.add("stonewall", params.stonewall,
                 "seconds after which a rank makes no more directories, or files; 0: no such time",
                 {.min = 0.0, .max = 1e9});
  parameters.add(
      "most_seconds", params.most_seconds,
      "time of all phases; those that would take longer stop early, but what was made is removed. 0: no limit",
      {.min = 0.0, .max = 1e9});
}

Problem problem(const Params& params, int ranks) {
  check(params);
  const std::int64_t all = directories(params.depth, params.branch);
  constexpr double bytes_of_path = 16.0;  // for each level
  const double tree =
      static_cast<double>(all) * (sizeof(std::string) + bytes_of_path * static_cast<double>(params.depth));
  constexpr double numbers_of_rank = 8.0;  // for each rank: its mount, its items, its rate and its host
  const double of_ranks = numbers_of_rank * sizeof(double) * ranks;
  const auto items = static_cast<double>(params.items) * ranks;
  const std::int64_t piece = piece_bytes(params);
  const std::int64_t contents = piece > 0 ? Contents::base_bytes(piece, 1) + params.bytes : 0;
  return {.footprint = static_cast<double>(contents) + tree + of_ranks,
          .facts = {{"tree_directories", all},
                    {"items_of_all_ranks", items},
                    {"bytes_of_all_files", items * static_cast<double>(params.bytes)}}};
}

}  // namespace banzuke::mdtest
