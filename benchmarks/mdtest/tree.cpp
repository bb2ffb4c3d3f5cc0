#include "tree.hpp"

#include <charconv>

#include "core/storage/work_folder.hpp"

namespace banzuke::mdtest {

Tree::Tree(std::int64_t depth, std::int64_t branch) {
  const std::int64_t all = directories(depth, branch);
  paths_.reserve(static_cast<std::size_t>(all));
  paths_.emplace_back();
  for (std::int64_t directory = 1; directory < all; ++directory) {
    paths_.push_back(path((directory - 1) / branch) + std::string(made_prefix) + std::to_string(directory) + "/");
  }
}

void Name::start(const std::string& text) {
  constexpr std::size_t digits = 20;
  start_ = text.size();
  text_.assign(text);
  text_.resize(start_ + digits + 1);
}

const char* Name::with(std::int64_t number) {
  char* const begin = text_.data();
  *std::to_chars(begin + start_, begin + text_.size() - 1, number).ptr = '\0';
  return begin;
}

}  // namespace banzuke::mdtest
