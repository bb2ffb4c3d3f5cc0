#include "shares.hpp"

#include <algorithm>
#include <ranges>

#include "core/team.hpp"

namespace banzuke::spmv {

int sharers(std::int64_t entries, std::int64_t rows) {
  constexpr std::int64_t enough = 8'000;  // some microseconds of work, which is what starting a team takes
  return entries + rows < enough ? 1 : omp_get_max_threads();
}

std::vector<std::int64_t> cut_rows(std::span<const std::int64_t> start, int parts, std::int64_t weight) {
  const auto rows = static_cast<std::int64_t>(start.size()) - 1;
  const std::int64_t all = start.back() + weight * rows;
  std::vector<std::int64_t> cuts(static_cast<std::size_t>(parts) + 1);
  for (int part = 0; part <= parts; ++part) {
    const std::int64_t wanted = share(0, all, part, parts).first;
    const auto row = std::ranges::partition_point(std::views::iota(std::int64_t{0}, rows), [&](std::int64_t i) {
      return start[static_cast<std::size_t>(i)] + weight * i < wanted;
    });
    cuts[static_cast<std::size_t>(part)] = part == parts ? rows : *row;
  }
  return cuts;
}

}  // namespace banzuke::spmv
