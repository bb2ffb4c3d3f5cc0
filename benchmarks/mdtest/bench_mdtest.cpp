// Measures what the timed loops add to the calls: bench-mdtest-posix FOLDER [ROUNDS]. Compares, in turn, stat calls in
// the benchmark's own loop, with names made beforehand, and with absolute names made for each call as in mdtest 4,
// which clears two buffers of 4 KiB and calls printf four times. With a FOLDER in tmpfs, the calls themselves take the
// least time.
#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/paired.hpp"
#include "core/storage/work_folder.hpp"
#include "items.hpp"
#include "mdtest.hpp"

namespace {

using namespace banzuke;
using namespace banzuke::mdtest;

constexpr std::int64_t files = 20000;
constexpr double millions = 1e3;  // compare_ways() divides by 1e9

void as_mdtest(const std::string& root) {
  constexpr std::size_t longest = 4096;
  std::array<char, longest> item;
  std::array<char, longest + 64> path;
  for (std::int64_t i = 0; i < files; ++i) {
    item.fill(0);
    path.fill(0);
    std::snprintf(item.data(), item.size(), "bz.file.0.%llu", static_cast<unsigned long long>(i));
    std::snprintf(path.data(), path.size(), "%s/%s", root.c_str(), item.data());
    std::memcpy(item.data(), path.data(), longest);
    struct stat found{};
    if (stat(item.data(), &found) != 0) throw std::runtime_error(item.data());
  }
}

void compare(const Context& context, const std::string& folder, int rounds) {
  const Params params{.folder = folder, .items = files};
  const WorkFolder work(folder, "mdtest", context.ranks);
  Items items(params, work.descriptor(), work.path(), 0, 0);
  items.make_tree();
  const auto pace = [&] { return Pace(context, Budget::never, 0, files); };
  Pace making = pace();
  items.make_files(0, files, making);
  std::vector<std::string> names;
  names.reserve(files);
  for (std::int64_t i = 0; i < files; ++i) names.push_back("bz.tree.0/bz.file.0." + std::to_string(i));

  const auto of_items = [&] {
    Pace asking = pace();
    Wrong wrong;
    items.ask_files(0, files, asking, wrong);
  };
  const auto calls_alone = [&] {
    for (const auto& name : names) {
      struct stat found{};
      if (fstatat(work.descriptor(), name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) throw std::runtime_error(name);
    }
  };
  compare_ways({{"stat as the benchmark times it", of_items},
                {"calls alone, names made beforehand", calls_alone},
                {"absolute names, made as mdtest makes them", [&] { as_mdtest(work.path() + "/bz.tree.0"); }}},
               rounds, millions * static_cast<double>(files), "Mop/s");
}

}  // namespace

int main(int argc, char** argv) {
  const Communicator ranks(argc, argv);
  if (argc < 2) {
    std::fprintf(stderr, "name a folder: %s FOLDER [ROUNDS]\n", argv[0]);
    return 2;
  }
  const std::vector<std::vector<int>> places;
  compare(Context{.ranks = ranks, .places = places}, argv[1], positive_argument(argc, argv, 2, 101));
  return 0;
}
