// Shared by the tests.
#pragma once

#include <cstdint>
#include <vector>

#include "sequence.hpp"

namespace banzuke::gups {

// A table of `words` words after `updates` updates, by definition.
inline std::vector<std::uint64_t> updated(std::int64_t words, std::int64_t updates) {
  std::vector<std::uint64_t> table(static_cast<std::size_t>(words));
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = i;
  std::uint64_t a = 1;
  for (std::int64_t i = 0; i < updates; ++i) {
    a = next(a);
    table[a % table.size()] ^= a;
  }
  return table;
}

}  // namespace banzuke::gups
