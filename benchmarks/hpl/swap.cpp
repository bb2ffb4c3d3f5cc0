#include "swap.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace banzuke::hpl {

RowMoves::RowMoves(const Panel& panel) {
  const std::int64_t first = panel.first();
  const std::int64_t width = panel.width();
  sources.resize(static_cast<std::size_t>(width));
  std::iota(sources.begin(), sources.end(), first);
  std::unordered_map<std::int64_t, std::int64_t> below;  // row below the block -> row whose content it has
  for (std::int64_t i = 0; i < width; ++i) {
    const std::int64_t pivot = panel.pivot(i);
    std::int64_t& source = sources[static_cast<std::size_t>(i)];
    if (pivot < first + width) {
      std::swap(source, sources[static_cast<std::size_t>(pivot - first)]);
    } else {
      std::swap(source, below.try_emplace(pivot, pivot).first->second);
    }
  }
  for (const auto& [to, row] : below) displaced.push_back({row, to});
  std::ranges::sort(displaced, {}, &Displaced::to);
}

void interchange(Matrix& matrix, const Panel& panel, std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = 0; i < panel.width(); ++i) {
    const std::int64_t row = panel.first() + i;
    const std::int64_t pivot = panel.pivot(i);
    if (pivot != row) std::swap_ranges(matrix.at(row, begin), matrix.at(row, end), matrix.at(pivot, begin));
  }
}

Swap swap_kind(const std::string& name) {
  return static_cast<Swap>(std::ranges::find(swap_names, name) - swap_names.begin());
}

namespace {

// Where the rows of each rank begin in a buffer that holds them one after another.
class Offsets {
 public:
  explicit Offsets(int ranks) : counts_(static_cast<std::size_t>(ranks) + 1) {}
  void count(int rank) { ++counts_[static_cast<std::size_t>(rank) + 1]; }
  std::vector<std::int64_t> of_rows(std::int64_t length) const {
    std::vector<std::int64_t> offsets(counts_.size());
    std::partial_sum(counts_.begin(), counts_.end(), offsets.begin());
    for (std::int64_t& offset : offsets) offset *= length;
    return offsets;
  }

 private:
  std::vector<std::int64_t> counts_;
};

}  // namespace

RowExchange::RowExchange(const Grid& grid, const Distribution& of, Swap kind, std::int64_t threshold,
                         std::span<double> slots)
    : grid_(grid), of_(of), kind_(kind), threshold_(threshold), slots_(slots) {}

void RowExchange::plan(const Panel& panel, std::int64_t begin, std::int64_t end) {
  begin_ = begin;
  columns_ = end - begin;
  const Cyclic& rows = of_.rows;
  const int size = grid_.rows;
  const int root = rows.owner(panel.first());
  diagonal_ = root == grid_.row ? rows.before(panel.first()) : -1;
  RowMoves moves(panel);

  // U's rows, sorted by the rank that has them; a rank's own are packed.
  const auto owner_of_row = [&](std::int64_t i) { return rows.owner(moves.sources[static_cast<std::size_t>(i)]); };
  std::vector<std::int64_t> sorted(moves.sources.size());
  std::iota(sorted.begin(), sorted.end(), 0);
  std::ranges::stable_sort(sorted, {}, owner_of_row);
  Offsets offsets(size);
  outgoing_.clear();
  order_.resize(sorted.size());
  std::int64_t slot = 0;
  for (const std::int64_t i : sorted) {
    const int owner = owner_of_row(i);
    if (owner == grid_.row) outgoing_.push_back({rows.before(moves.sources[static_cast<std::size_t>(i)]), slot});
    order_[static_cast<std::size_t>(i)] = slot++;
    offsets.count(owner);
  }

  // Displaced rows, sorted by how far after the root their rank is; the root's own need no message.
  const auto distance = [&](const RowMoves::Displaced& one) { return (rows.owner(one.to) - root + size) % size; };
  std::ranges::stable_sort(moves.displaced, {}, distance);
  Offsets tree_offsets(size);
  arriving_.clear();
  staying_.clear();
  for (const auto& one : moves.displaced) {
    if (distance(one) == 0) {
      if (diagonal_ >= 0) staying_.push_back({rows.before(one.row), rows.before(one.to)});
      continue;
    }
    if (diagonal_ >= 0) outgoing_.push_back({rows.before(one.row), slot});
    if (rows.mine(one.to)) arriving_.push_back({rows.before(one.to), slot});
    ++slot;
    tree_offsets.count(distance(one));
  }
  root_ = root;
  gathered_ = offsets.of_rows(columns_);
  displaced_ = tree_offsets.of_rows(columns_);
}

void RowExchange::send() {
  const auto of_u = static_cast<std::size_t>(gathered_.back());
  const bool few = kind_ == Swap::binary_exchange || (kind_ == Swap::mixed && columns_ <= threshold_);
  gather_.emplace(grid_.along_column, slots_.first(of_u),
                  few ? binary_exchange(grid_.row, grid_.rows, gathered_) : roll(grid_.row, grid_.rows, gathered_),
                  Communication::Purpose::gather);
  displace_.emplace(grid_.along_column, slots_.subspan(of_u, static_cast<std::size_t>(displaced_.back())),
                    scatter(grid_.row, grid_.rows, root_, displaced_), Communication::Purpose::displace);
}

void RowExchange::poll() {
  if (gather_) gather_->poll();
  if (displace_) displace_->poll();
}

void RowExchange::finish() {
  if (gather_) gather_->finish();
  if (displace_) displace_->finish();
}

HostRows::HostRows(const Grid& grid, Matrix& matrix, std::int64_t nb, Swap kind, std::int64_t threshold)
    : matrix_(matrix),
      slots_(RowExchange::size(matrix, nb)),
      u_(static_cast<std::size_t>(nb * distance_of(matrix.local_columns))),
      exchange_(grid, matrix, kind, threshold, {slots_.data(), slots_.size()}) {}

void HostRows::start(const Panel& panel, std::int64_t begin, std::int64_t end) {
  exchange_.plan(panel, begin, end);
#pragma omp parallel for schedule(static)
  for (const auto& [row, slot] : exchange_.outgoing()) {
    std::copy_n(matrix_.at(row, begin), exchange_.columns(), exchange_.slot(slot));
  }
  exchange_.send();
}

void HostRows::place(std::int64_t begin, std::int64_t end) {
  for (const auto& [row, to] : exchange_.staying()) {
    std::copy(matrix_.at(row, begin), matrix_.at(row, end), matrix_.at(to, begin));
  }
  const auto slot_at = [&](std::int64_t slot) { return exchange_.slot(slot) + (begin - exchange_.begin()); };
  for (const auto& [row, slot] : exchange_.arriving()) {
    std::copy_n(slot_at(slot), end - begin, matrix_.at(row, begin));
  }
  for (std::size_t i = 0; i < exchange_.order().size(); ++i) {
    std::copy_n(slot_at(exchange_.order()[i]), end - begin, u(begin) + static_cast<std::int64_t>(i) * ldu());
  }
}

double* HostRows::u(std::int64_t column) {
  const std::int64_t diagonal = exchange_.diagonal();
  return diagonal >= 0 ? matrix_.at(diagonal, column) : u_.data() + (column - exchange_.begin());
}

std::int64_t HostRows::ldu() const { return exchange_.diagonal() >= 0 ? matrix_.ld : distance_of(exchange_.columns()); }

}  // namespace banzuke::hpl
