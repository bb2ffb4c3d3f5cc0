#include "blocks.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace banzuke::dgemm {
namespace {

// The part of all columns that is in the groups' own areas. For unlike groups, the rest makes up for rates that are
// wrong, as those measured alone under a quota are: a group that has slept begins with a fresh budget.
constexpr double own_part_of_unlike = 0.9;
constexpr double own_part = 0.95;
// The least share of the highest rate for a processor at which groups are taken as equal.
constexpr double equal_from = 0.9;
// In rows, as strip_unit is in columns: strips of the common area are multiples of it.
constexpr std::int64_t row_unit = 96;
// The fewest rows of a block of a group's own area: with them, packing B costs some 5%.
constexpr std::int64_t least_own_rows = 5 * row_unit;
// Libraries pack so many of the inner dimension at once, or half as many again.
constexpr std::int64_t inner_unit = 256;
// The fewest columns that are worth giving: whoever takes them packs A again.
constexpr std::int64_t least_gift = 2 * strip_unit;
// The part of its share of what remains in the common area that a group takes at once, as rates are current by then.
constexpr double part_of_common = 0.5;

// Blocks of rows of a group's own area are half of its rows and two quarters. More of them would cost more packing;
// with fewer, the others would wait longer for a group that slows down.
std::int64_t least_rows_of_own_block(std::int64_t m) { return std::max(least_own_rows, (m + 3) / 4); }

bool has_room(const Extent& extent, std::size_t groups) {
  return extent.n >= strip_unit * static_cast<std::int64_t>(groups + 1);
}

}  // namespace

std::int64_t end_of_cut(std::int64_t k, std::int64_t begin) {
  constexpr auto cuts = static_cast<std::int64_t>(most_cuts);
  const std::int64_t unit = (k + cuts * inner_unit - 1) / (cuts * inner_unit) * inner_unit;
  return k - begin < unit + inner_unit / 2 ? k : begin + unit;
}

void Account::clear() {
  next = 0;
  begun = 0;
  computed = 0;
  given = 0;
  finished = false;
  for (Gift& gift : gifts) {
    gift.next = 0;
    gift.inner = 0;
  }
}

Forecast forecast(const std::vector<double>& measured, const std::vector<double>& weights, Measured how) {
  std::vector<double> of_weight(measured.size());
  std::ranges::transform(measured, weights, of_weight.begin(), std::divides{});
  const auto [least, most] = std::ranges::minmax(of_weight);
  if (least >= equal_from * most) return {weights, own_part};
  return {measured, how == Measured::alone ? own_part_of_unlike : own_part};
}

void RecentRate::add(double work, double seconds) {
  constexpr double enough = 0.1;  // seconds: some calls of a library, and as long as the period of a quota
  last_.emplace_back(work, seconds);
  work_ += work;
  seconds_ += seconds;
  while (seconds_ - last_.front().second >= enough) {
    work_ -= last_.front().first;
    seconds_ -= last_.front().second;
    last_.pop_front();
  }
}

Blocks::Blocks(const Extent& extent, std::span<Account> accounts, std::span<std::atomic<double>> rates,
               const Forecast& expected, bool whole_columns)
    : extent_(extent), accounts_(accounts), rates_(rates) {
  const std::vector<double>& by_group = expected.rates;
  const std::size_t groups = by_group.size();
  fastest_ = static_cast<std::size_t>(std::ranges::max_element(by_group) - by_group.begin());
  if (whole_columns || !has_room(extent, groups)) return;
  if (extent.k >= 2 * inner_unit && extent.m >= 2 * row_unit) {
    own_ = Own::cuts;
  } else if (extent.m >= 2 * least_own_rows) {
    own_ = Own::rows;
  } else {
    return;
  }
  std::vector<double> shares = by_group;
  const double in_own = std::reduce(by_group.begin(), by_group.end());
  shares.push_back(in_own * (1.0 - expected.own_part) / expected.own_part);
  areas_ = shares_by_rate(extent.n, strip_unit, shares);
}

std::optional<Block> Blocks::take(std::size_t group) const {
  const Strip all_rows{0, extent_.m};
  const Strip whole{0, extent_.k};
  if (own_ == Own::none) {
    const Dealing columns(extent_.n, strip_unit, accounts_.back().next, rates_, fastest_);
    return Block{all_rows, columns.take(group), whole};
  }
  const std::size_t common = areas_.size() - 1;
  if (own_ == Own::rows) {
    const Strip rows = rows_of(accounts_[group].next, group).take_half(least_rows_of_own_block(extent_.m));
    if (rows.size() > 0) return Block{rows, areas_[group], whole};
    for (std::size_t step = 0; step < areas_.size(); ++step) {
      const Block block = take_of_area((common + step) % areas_.size(), group);
      if (block.updates() > 0) return block;
    }
    return Block{};
  }
  if (const Block cut = take_cut(group); cut.updates() > 0) return cut;
  const bool last = all_finished();  // before the search: a gift precedes its group's end
  if (const Block block = take_of_area(common, group); block.updates() > 0) return block;
  if (const Block block = take_of_gifts(group); block.updates() > 0) return block;
  if (last) return Block{};
  return std::nullopt;
}

Block Blocks::take_cut(std::size_t group) const {
  Account& own = accounts_[group];
  if (own.finished.load()) return {};
  const std::int64_t begin = own.begun.load();
  own.computed.store(begin);
  if (begin > 0) give_surplus(group);
  const Strip columns{areas_[group].begin, areas_[group].end - own.given.load()};
  const std::int64_t end = columns.size() > 0 ? end_of_cut(extent_.k, begin) : extent_.k;
  own.begun.store(end);
  if (end == extent_.k) own.finished.store(true);  // after the last gift
  return {{0, extent_.m}, columns, {begin, end}};
}

// Compares rates at each cut, so the group need not be certain: what it keeps too much, it can give at the next.
void Blocks::give_surplus(std::size_t group) const {
  Account& own = accounts_[group];
  double left = 0.0;
  for (std::size_t area = 0; area < areas_.size(); ++area) left += left_of(area);
  double total = 0.0;
  for (const auto& rate : rates_) total += rate.load(std::memory_order_relaxed);
  const std::int64_t inner = own.begun.load();
  const double of_column = static_cast<double>(extent_.m) * static_cast<double>(extent_.k - inner);
  const double in_time = left / total * rates_[group].load(std::memory_order_relaxed) / of_column;
  const std::int64_t has = areas_[group].size() - own.given.load();
  if (in_time >= static_cast<double>(has - least_gift)) return;
  const std::int64_t keeps = static_cast<std::int64_t>(in_time) / strip_unit * strip_unit;
  const auto free_gift = std::ranges::find_if(own.gifts, [](const Gift& gift) { return gift.inner.load() == 0; });
  free_gift->begin = areas_[group].begin + keeps;
  free_gift->end = areas_[group].begin + has;
  free_gift->inner = inner;  // last, as it shows the gift to the others
  own.given += has - keeps;
}

// Takes half of a cut as done that an owner is computing.
double Blocks::left_of(std::size_t area) const {
  const Account& account = accounts_[area];
  const auto m = static_cast<double>(extent_.m);
  const auto width = static_cast<double>(areas_[area].size());
  if (area + 1 == areas_.size()) {
    const auto rows = static_cast<double>(std::max<std::int64_t>(0, extent_.m - account.next.load()));
    return rows * width * static_cast<double>(extent_.k);
  }
  double left = 0.0;
  for (const Gift& gift : account.gifts) {
    const std::int64_t inner = gift.inner.load();
    if (inner == 0) continue;
    const auto rows = static_cast<double>(std::max<std::int64_t>(0, extent_.m - gift.next.load()));
    left += rows * static_cast<double>(gift.end.load() - gift.begin.load()) * static_cast<double>(extent_.k - inner);
  }
  const double done = 0.5 * static_cast<double>(account.begun.load() + account.computed.load());
  const double own_columns = width - static_cast<double>(account.given.load());
  return left + m * own_columns * (static_cast<double>(extent_.k) - done);
}

Block Blocks::take_of_area(std::size_t area, std::size_t group) const {
  const std::size_t keeper = area + 1 < areas_.size() ? area : fastest_;
  return {rows_of(accounts_[area].next, keeper).take(group), areas_[area], {0, extent_.k}};
}

Block Blocks::take_of_gifts(std::size_t group) const {
  for (Account& account : accounts_) {
    for (Gift& gift : account.gifts) {
      const std::int64_t inner = gift.inner.load();
      if (inner == 0) break;
      const Strip rows = rows_of(gift.next, fastest_).take(group);
      if (rows.size() > 0) return {rows, {gift.begin.load(), gift.end.load()}, {inner, extent_.k}};
    }
  }
  return {};
}

bool Blocks::all_finished() const {
  return std::ranges::all_of(accounts_.first(rates_.size()), [](const Account& own) { return own.finished.load(); });
}

Dealing Blocks::rows_of(std::atomic<std::int64_t>& next, std::size_t keeper) const {
  return {extent_.m, row_unit, next, rates_, keeper, part_of_common};
}

}  // namespace banzuke::dgemm
