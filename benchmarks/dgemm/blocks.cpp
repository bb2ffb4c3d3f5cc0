#include "blocks.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace banzuke::dgemm {
namespace {

// The part of all columns that is in the groups' own areas. For unlike groups, the rest makes up for rates that are
// wrong by a fifth, as those measured alone under a quota are.
constexpr double own_part_of_unlike = 0.8;
constexpr double own_part_of_equal = 0.95;
// The least share of the highest rate for a processor at which groups are taken as equal.
constexpr double equal_from = 0.9;
// In rows, as strip_unit is in columns: strips of the common area are multiples of it.
constexpr std::int64_t row_unit = 96;
// The fewest rows of a block of a group's own area: with them, packing B costs some 5%.
constexpr std::int64_t least_own_rows = 5 * row_unit;

// Blocks of a group's own area are half of its rows and two quarters. More of them would cost more packing; with fewer,
// the others would wait longer for a group that slows down.
std::int64_t least_rows_of_own_block(std::int64_t m) { return std::max(least_own_rows, (m + 3) / 4); }

// There are blocks of rows where both areas have several.
bool has_areas(std::int64_t m, std::int64_t n, std::size_t groups) {
  return m >= 2 * least_own_rows && n >= strip_unit * static_cast<std::int64_t>(groups + 1);
}

}  // namespace

Forecast forecast(const std::vector<double>& measured, const std::vector<double>& weights) {
  std::vector<double> of_weight(measured.size());
  std::ranges::transform(measured, weights, of_weight.begin(), std::divides{});
  const auto [least, most] = std::ranges::minmax(of_weight);
  if (least >= equal_from * most) return {weights, own_part_of_equal};
  return {measured, own_part_of_unlike};
}

Blocks::Blocks(std::int64_t m, std::int64_t n, std::span<Counter> next, std::span<std::atomic<double>> rates,
               const Forecast& expected, bool whole_columns)
    : m_(m), rates_(rates) {
  const std::vector<double>& by_group = expected.rates;
  const std::size_t groups = by_group.size();
  const auto fastest = static_cast<std::size_t>(std::ranges::max_element(by_group) - by_group.begin());
  if (whole_columns || !has_areas(m, n, groups)) {
    dealings_.emplace_back(n, strip_unit, next[groups].next, rates, fastest);
    return;
  }
  std::vector<double> shares = by_group;
  const double in_own = std::reduce(by_group.begin(), by_group.end());
  shares.push_back(in_own * (1.0 - expected.own_part) / expected.own_part);
  areas_ = shares_by_rate(n, strip_unit, shares);
  for (std::size_t area = 0; area <= groups; ++area) {
    dealings_.emplace_back(m, row_unit, next[area].next, rates, area < groups ? area : fastest);
  }
}

Block Blocks::take(std::size_t group) const {
  const Strip all_rows{0, m_};
  if (areas_.empty()) return {all_rows, dealings_.front().take(group)};
  if (const Strip rows = dealings_[group].take_half(least_rows_of_own_block(m_)); rows.size() > 0) {
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
