#include "blocks.hpp"

#include <algorithm>
#include <numeric>

namespace banzuke::dgemm {
namespace {

// The part of all columns that is in the groups' own areas. The rest makes up for rates that are wrong by a fifth, as
// those measured alone under a quota are.
constexpr double own_part = 0.8;
// The number of blocks of a group's own area. More of them cost more packing; with fewer, the others wait longer for a
// group that slows down.
constexpr std::int64_t own_blocks = 2;
// In rows, as strip_unit is in columns: strips of the common area are multiples of it.
constexpr std::int64_t row_unit = 96;
// The fewest rows of a block of a group's own area: with them, packing B costs some 5%.
constexpr std::int64_t least_own_rows = 5 * row_unit;

std::int64_t rows_of_own_block(std::int64_t m) {
  const std::int64_t units = (m / own_blocks + row_unit - 1) / row_unit;
  return std::max(least_own_rows, units * row_unit);
}

// There are blocks of rows where both areas have several.
bool has_areas(std::int64_t m, std::int64_t n, std::size_t groups) {
  return m >= 2 * least_own_rows && n >= strip_unit * static_cast<std::int64_t>(groups + 1);
}

}  // namespace

Blocks::Blocks(std::int64_t m, std::int64_t n, std::span<Counter> next, std::span<std::atomic<double>> rates,
               const std::vector<double>& expected, bool whole_columns)
    : m_(m), rates_(rates) {
  const std::size_t groups = expected.size();
  const auto fastest = static_cast<std::size_t>(std::ranges::max_element(expected) - expected.begin());
  if (whole_columns || !has_areas(m, n, groups)) {
    dealings_.emplace_back(n, strip_unit, next[groups].next, rates, fastest);
    return;
  }
  std::vector<double> shares = expected;
  shares.push_back(std::reduce(expected.begin(), expected.end()) * (1.0 - own_part) / own_part);
  areas_ = shares_by_rate(n, strip_unit, shares);
  for (std::size_t area = 0; area <= groups; ++area) {
    dealings_.emplace_back(m, row_unit, next[area].next, rates, area < groups ? area : fastest);
  }
}

Block Blocks::take(std::size_t group) const {
  const Strip all_rows{0, m_};
  if (areas_.empty()) return {all_rows, dealings_.front().take(group)};
  if (const Strip rows = dealings_[group].take_next(rows_of_own_block(m_)); rows.size() > 0) {
    return {rows, areas_[group]};
  }
  const std::size_t common = areas_.size() - 1;
  for (std::size_t step = 0; step < areas_.size(); ++step) {
    const std::size_t area = (common + step) % areas_.size();
    if (const Strip rows = dealings_[area].take(group); rows.size() > 0) return {rows, areas_[area]};
  }
  return {};
}

}  // namespace banzuke::dgemm
