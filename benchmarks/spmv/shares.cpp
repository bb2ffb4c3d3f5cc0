#include "shares.hpp"

#include <algorithm>

#include "core/thread_rates.hpp"

namespace banzuke::spmv {

int sharers(std::int64_t entries, std::int64_t rows) {
  constexpr std::int64_t enough = 8'000;  // some microseconds of work, as long as starting a team takes
  return entries + rows < enough ? 1 : omp_get_max_threads();
}

std::vector<std::int64_t> cut_rows(std::span<const std::int64_t> start, int parts, std::int64_t weight) {
  const auto rows = static_cast<std::int64_t>(start.size()) - 1;
  const std::int64_t all = start.back() + weight * rows;
  const Parts by_thread = team_parts(parts);
  const auto before = [&](const std::int64_t& first) { return first + weight * (&first - start.data()); };
  std::vector<std::int64_t> cuts(static_cast<std::size_t>(parts) + 1);
  for (int part = 0; part <= parts; ++part) {
    const std::int64_t wanted = by_thread.before(part, all);
    const auto row = std::ranges::lower_bound(start.first(start.size() - 1), wanted, {}, before) - start.begin();
    cuts[static_cast<std::size_t>(part)] = part == parts ? rows : row;
  }
  return cuts;
}

}  // namespace banzuke::spmv
