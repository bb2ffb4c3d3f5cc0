// Operations of a rank on its own or another rank's directories and files.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "calls.hpp"
#include "core/storage/contents.hpp"
#include "pace.hpp"
#include "tree.hpp"

namespace banzuke::mdtest {

struct Params;

// Items with wrong results; the first is reported.
struct Wrong {
  double count = 0.0;
  std::string first;

  void add(const std::string& what) {
    if (count == 0.0) first = what;
    count += 1.0;
  }
};

class Items {
 public:
  // `folder` is a descriptor of the work folder, `path` its path for messages. All ranks have the same `seed` of file
  // contents.
  Items(const Params& params, int folder, std::string path, int rank, std::uint64_t seed);

  // Make and remove the rank's tree of items, or the shared one. Both return its number of directories.
  std::int64_t make_tree() const;
  std::int64_t remove_tree() const;

  // Each processes the first `count` items of `owner`, and returns how many were done when the pace stopped it. A
  // failing call throws, with the path and the reason.
  std::int64_t make_directories(int owner, std::int64_t count, Pace& pace);
  std::int64_t rename_directories(int owner, std::int64_t count, Pace& pace);
  std::int64_t make_files(int owner, std::int64_t count, Pace& pace);
  std::int64_t read_files(int owner, std::int64_t count, Pace& pace);
  std::int64_t remove_files(int owner, std::int64_t count, Pace& pace);
  std::int64_t ask_directories(int owner, std::int64_t count, Pace& pace, Wrong& wrong);
  std::int64_t ask_files(int owner, std::int64_t count, Pace& pace, Wrong& wrong);
  // The first `renamed` of the `count` directories have new names.
  std::int64_t remove_directories(int owner, std::int64_t count, std::int64_t renamed, Pace& pace);

  // Reads the files again and compares every byte.
  void verify_files(int owner, std::int64_t count, Wrong& wrong);
  // Finds what is left in the directories of the owner's tree besides its branches; in a shared tree, in this rank's
  // share of the directories.
  void find_left(int owner, int ranks, Wrong& wrong) const;

 private:
  std::string root(int owner) const;
  // The contents of a file.
  std::span<const std::byte> contents(int owner, std::int64_t item);
  // Calls call(PATH) for the items from `first` to `last`, PATH being WHAT.OWNER.NUMBER in its directory.
  template <class Call>
  std::int64_t each(const char* what, int owner, std::int64_t first, std::int64_t last, Pace& pace, Call call);
  [[noreturn]] void fail(const std::string& what, const std::string& path, int code) const;

  int folder_;
  std::string path_;
  int rank_;
  bool shared_;
  bool synchronise_;
  std::int64_t in_each_;  // items per rank in each directory that holds any
  std::int64_t first_;    // of these directories
  Tree tree_;
  Name name_;
  Name second_name_;
  std::optional<Contents> contents_;  // of files that are not empty
  std::vector<std::byte> read_;
};

}  // namespace banzuke::mdtest
