// The directory tree that holds the items, and their names, as in mdtest: directory 0 is the root, the branches of
// directory d are branch * d + 1 ... branch * d + branch, and directory d holds the items
// d * items_each ... (d + 1) * items_each - 1, counted from the first directory that holds any.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace banzuke::mdtest {

// Returns 1 + branch + ... + branch^depth, or the largest number if that overflows.
constexpr std::int64_t directories(std::int64_t depth, std::int64_t branch) {
  std::int64_t all = 1;
  for (std::int64_t level = 0; level < depth; ++level) {
    if (all > (std::numeric_limits<std::int64_t>::max() - 1) / branch) return std::numeric_limits<std::int64_t>::max();
    all = all * branch + 1;
  }
  return all;
}

// Returns how many directories hold items: all, or only the leaves.
constexpr std::int64_t holders(std::int64_t depth, std::int64_t branch, bool leaves) {
  return leaves && depth > 0 ? directories(depth, branch) - directories(depth - 1, branch) : directories(depth, branch);
}

class Tree {
 public:
  Tree(std::int64_t depth, std::int64_t branch);

  std::int64_t size() const { return static_cast<std::int64_t>(paths_.size()); }
  // Returns a directory's path relative to the root, with a trailing slash; empty for the root itself.
  const std::string& path(std::int64_t directory) const { return paths_[static_cast<std::size_t>(directory)]; }

 private:
  std::vector<std::string> paths_;
};

// A name with varying numbers at its end, without memory allocation for each.
class Name {
 public:
  // Sets the text before the number.
  void start(const std::string& text);
  const char* with(std::int64_t number);

 private:
  std::string text_;
  std::size_t start_ = 0;
};

}  // namespace banzuke::mdtest
