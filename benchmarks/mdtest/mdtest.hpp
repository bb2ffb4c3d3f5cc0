// mdtest: directories and files that a storage area creates, stats, renames, reads and removes per second.
//
//   each rank, between barriers:  for (i = 0; i < items; ++i) call("TREE/.../file.RANK.i");     items / time
//
// The ranks make a tree of directories, and in it `items` directories each, and later `items` files. After creation,
// each phase works on the items of the rank `shift` further on, so that no host is asked for what it has cached.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/application.hpp"

namespace banzuke::mdtest {

struct Params {
  std::string folder = ".";
  std::string area{};
  std::int64_t items = 1000;
  std::int64_t bytes = 0;
  std::int64_t depth = 0;
  std::int64_t branch = 1;
  std::string holders = "all";
  std::string directories = "private";
  std::string fsync = "no";
  std::int64_t shift = -1;
  std::int64_t rounds = 3;
  double stonewall = 0.0;
  double most_seconds = 0.0;
};

void declare(Parameters& parameters, Params& params);
Problem problem(const Params& params, int ranks);

// Bytes of a file's contents, rounded to whole words.
constexpr std::int64_t piece_bytes(const Params& params) {
  constexpr std::int64_t word = 8;
  return (params.bytes + word - 1) / word * word;
}

Result measure(const Params& params, const Context& context);

}  // namespace banzuke::mdtest
