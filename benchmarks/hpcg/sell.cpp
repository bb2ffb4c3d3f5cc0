#include "sell.hpp"

#include <iterator>
#include <limits>
#include <tuple>

namespace banzuke::hpcg {
namespace {

std::size_t in_common(std::span<const std::int32_t> one, std::span<const std::int32_t> other) {
  std::size_t count = 0;
  for (const auto diagonal : one) count += std::ranges::binary_search(other, diagonal) ? 1 : 0;
  return count;
}

}  // namespace

Chunk Sell::Part::add(std::array<Row, lanes>& rows, std::int64_t places) {
  std::array<Diagonals, 2> runs;
  Diagonals before;
  Diagonals own;
  Diagonals all;
  std::uint32_t split = lanes;
  std::size_t longest = 0;
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    std::ranges::sort(rows[lane]);
    longest = std::max(longest, rows[lane].size());
    own.clear();
    for (const auto& [place, value] : rows[lane]) own.push_back(place - static_cast<std::int32_t>(lane));
    if (own.empty()) continue;
    // Rows of one line have most of their diagonals in common.
    if (2 * in_common(own, before) < std::min(own.size(), before.size())) {
      if (split < lanes) return add_apart(rows);
      split = lane;
    }
    Diagonals& run = runs[split < lanes ? 1 : 0];
    all.clear();
    std::ranges::set_union(run, own, std::back_inserter(all));
    run.swap(all);
    before.swap(own);
  }
  const auto inside = [&](std::int32_t diagonal) { return diagonal >= 0 && diagonal + lanes <= places; };
  const std::size_t slots = std::max(runs[0].size(), runs[1].size());
  const double bytes = (split < lanes ? 9.0 : 8.5) * static_cast<double>(slots);
  if (bytes > 10.5 * static_cast<double>(longest) || !std::ranges::all_of(runs[0], inside) ||
      !std::ranges::all_of(runs[1], inside)) {
    return add_apart(rows);
  }
  return add_runs(rows, split, runs);
}

Chunk Sell::Part::add_runs(const std::array<Row, lanes>& rows, std::uint32_t split,
                           const std::array<Diagonals, 2>& runs) {
  const Chunk chunk{.slot = static_cast<std::uint32_t>(base.size()),
                    .more = static_cast<std::uint32_t>(second.size()),
                    .split = split};
  std::array<std::size_t, lanes> taken{};
  for (std::size_t slot = 0; slot < std::max(runs[0].size(), runs[1].size()); ++slot) {
    // Where one run has no more diagonals, it reads what the other reads.
    const auto diagonal = [&](std::size_t run) { return runs[slot < runs[run].size() ? run : 1 - run][slot]; };
    base.push_back(diagonal(0));
    if (split < lanes) second.push_back(diagonal(1));
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      const std::int32_t place = diagonal(lane < split ? 0 : 1) + static_cast<std::int32_t>(lane);
      const bool there = taken[lane] < rows[lane].size() && rows[lane][taken[lane]].first == place;
      value.push_back(there ? rows[lane][taken[lane]++].second : 0.0);
    }
  }
  return chunk;
}

Chunk Sell::Part::add_apart(const std::array<Row, lanes>& rows) {
  constexpr std::int32_t reach = std::numeric_limits<std::uint16_t>::max();
  constexpr std::int32_t none = std::numeric_limits<std::int32_t>::max();
  const Chunk chunk{.slot = static_cast<std::uint32_t>(base.size()),
                    .more = static_cast<std::uint32_t>(offset.size() / lanes),
                    .split = 0};
  std::array<std::size_t, lanes> taken{};
  while (true) {
    std::int32_t least = none;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      if (taken[lane] < rows[lane].size()) least = std::min(least, rows[lane][taken[lane]].first);
    }
    if (least == none) return chunk;
    base.push_back(least);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const bool fits = taken[lane] < rows[lane].size() && rows[lane][taken[lane]].first - least <= reach;
      // A missing entry becomes 0 times a value that another row of the chunk reads.
      std::pair<std::int32_t, double> entry{least, 0.0};
      if (fits) entry = rows[lane][taken[lane]++];
      offset.push_back(static_cast<std::uint16_t>(entry.first - least));
      value.push_back(entry.second);
    }
  }
}

void Sell::join(const std::vector<Part>& parts, std::span<const std::int64_t> chunks) {
  using Sizes = std::array<std::size_t, 4>;
  std::vector<Sizes> first(parts.size() + 1);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    first[i + 1] = {first[i][0] + parts[i].base.size(), first[i][1] + parts[i].second.size(),
                    first[i][2] + parts[i].offset.size(), first[i][3] + parts[i].value.size()};
  }
  base_ = std::make_unique<Array<std::int32_t>>(first.back()[0]);
  second_ = std::make_unique<Array<std::int32_t>>(first.back()[1]);
  offset_ = std::make_unique<Array<std::uint16_t>>(first.back()[2]);
  value_ = std::make_unique<Array<double>>(first.back()[3]);
  chunk_.back().slot = static_cast<std::uint32_t>(first.back()[0]);
  // Each thread is the first to touch the data that it works on.
#pragma omp parallel for schedule(static, 1)
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto [base, second, offset, value] = first[i];
    for (std::int64_t at = chunks[i]; at < chunks[i + 1]; ++at) {
      Chunk& chunk = chunk_[index(at)];
      chunk.slot += static_cast<std::uint32_t>(base);
      chunk.more += static_cast<std::uint32_t>(chunk.split > 0 ? second : offset / lanes);
    }
    std::ranges::copy(parts[i].base, base_->data() + base);
    std::ranges::copy(parts[i].second, second_->data() + second);
    std::ranges::copy(parts[i].offset, offset_->data() + offset);
    std::ranges::copy(parts[i].value, value_->data() + value);
  }
}

}  // namespace banzuke::hpcg
