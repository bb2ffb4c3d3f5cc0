// mdtest: how many directories and files a storage area makes, tells about, renames, reads and removes in a second.
//
//   each rank, between barriers:  for (i = 0; i < items; ++i) call("TREE/.../file.RANK.i");     items / time
//
// The ranks make a tree of directories, and in it each as many directories, and later files, as `items`. After they are
// made each phase goes on to the items of the rank `shift` further on, so that no host is asked for what it knows.
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

// Bytes of a file's contents, which are made in whole words.
constexpr std::int64_t piece_bytes(const Params& params) {
  constexpr std::int64_t word = 8;
  return (params.bytes + word - 1) / word * word;
}

Result measure(const Params& params, const Context& context);

}  // namespace banzuke::mdtest
