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

RowExchange::RowExchange(const Grid& grid, Matrix& matrix, std::int64_t nb, Swap kind, std::int64_t threshold)
    : grid_(grid),
      matrix_(matrix),
      kind_(kind),
      threshold_(threshold),
      buffer_(static_cast<std::size_t>(2 * nb * matrix.local_columns)),
      u_(static_cast<std::size_t>(nb * Matrix::row_distance(matrix.local_columns))) {}

void RowExchange::start(const Panel& panel, std::int64_t begin, std::int64_t end) {
  begin_ = begin;
  columns_ = end - begin;
  const Cyclic& rows = matrix_.rows;
  const int size = grid_.rows;
  const int root = rows.owner(panel.first());
  diagonal_ = root == grid_.row ? rows.before(panel.first()) : -1;
  const RowMoves moves(panel);
  const auto count = static_cast<std::int64_t>(moves.sources.size());

  // U's rows, sorted by the rank that has them; a rank's own are packed.
  std::vector<std::int64_t> offsets{0};
  std::vector<Place> outgoing;
  order_.assign(moves.sources.size(), 0);
  std::int64_t slot = 0;
  for (int rank = 0; rank < size; ++rank) {
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t source = moves.sources[static_cast<std::size_t>(i)];
      if (rows.owner(source) != rank) continue;
      if (rank == grid_.row) outgoing.push_back({rows.before(source), slot});
      order_[static_cast<std::size_t>(i)] = slot++;
    }
    offsets.push_back(slot * columns_);
  }

  // Displaced rows, sorted by how far after the root their rank is.
  std::vector<std::int64_t> tree_offsets{0};
  arriving_.clear();
  local_.clear();
  for (int distance = 0; distance < size; ++distance) {
    for (const auto& [row, to] : moves.displaced) {
      const int owner = rows.owner(to);
      if ((owner - root + size) % size != distance) continue;
      if (distance == 0) {
        if (diagonal_ >= 0) local_.push_back({rows.before(row), rows.before(to)});
        continue;
      }
      if (diagonal_ >= 0) outgoing.push_back({rows.before(row), slot});
      if (owner == grid_.row) arriving_.push_back({rows.before(to), slot});
      ++slot;
    }
    tree_offsets.push_back((slot - count) * columns_);
  }

#pragma omp parallel for schedule(static)
  for (const auto& [row, to] : outgoing) {
    std::copy_n(matrix_.at(row, begin_), columns_, buffer_.data() + to * columns_);
  }
  const auto buffer = [&](std::int64_t first, std::int64_t last) {
    return std::span(buffer_.data() + first * columns_, static_cast<std::size_t>((last - first) * columns_));
  };
  const bool few = kind_ == Swap::binary_exchange || (kind_ == Swap::mixed && columns_ <= threshold_);
  gather_.emplace(grid_.along_column, buffer(0, count),
                  few ? binary_exchange(grid_.row, size, offsets) : roll(grid_.row, size, offsets),
                  Communication::Purpose::gather);
  displace_.emplace(grid_.along_column, buffer(count, slot), scatter(grid_.row, size, root, tree_offsets),
                    Communication::Purpose::displace);
}

void RowExchange::poll() {
  if (gather_) gather_->poll();
  if (displace_) displace_->poll();
}

void RowExchange::finish() {
  if (gather_) gather_->finish();
  if (displace_) displace_->finish();
}

void RowExchange::place(std::int64_t begin, std::int64_t end) {
  for (const auto& [row, to] : local_) std::copy(matrix_.at(row, begin), matrix_.at(row, end), matrix_.at(to, begin));
  const auto slot_at = [&](std::int64_t slot) { return buffer_.data() + slot * columns_ + (begin - begin_); };
  for (const auto& [row, slot] : arriving_) std::copy_n(slot_at(slot), end - begin, matrix_.at(row, begin));
  for (std::size_t i = 0; i < order_.size(); ++i) {
    std::copy_n(slot_at(order_[i]), end - begin, u(begin) + static_cast<std::int64_t>(i) * ldu());
  }
}

double* RowExchange::u(std::int64_t column) {
  return diagonal_ >= 0 ? matrix_.at(diagonal_, column) : u_.data() + (column - begin_);
}

std::int64_t RowExchange::ldu() const { return diagonal_ >= 0 ? matrix_.ld() : Matrix::row_distance(columns_); }

}  // namespace banzuke::hpl
