#include "ordering.hpp"

#include <algorithm>
#include <cstddef>

#include "core/team.hpp"

namespace banzuke::hpcg {

std::vector<std::int32_t> dependency_levels(const Crs& a) {
  std::vector<std::int32_t> level(static_cast<std::size_t>(a.rows));
  for (std::int64_t row = 0; row < a.rows; ++row) {
    std::int32_t after = 0;
    for (const auto column : a.columns_of(row)) {
      if (column < row) after = std::max(after, level[static_cast<std::size_t>(column)] + 1);
    }
    level[static_cast<std::size_t>(row)] = after;
  }
  return level;
}

std::vector<std::int32_t> colours(const Crs& a) {
  std::vector<std::int32_t> colour(static_cast<std::size_t>(a.rows));
  std::vector<std::int64_t> used;  // for each colour, the last row that has a neighbour of it
  for (std::int64_t row = 0; row < a.rows; ++row) {
    for (const auto column : a.columns_of(row)) {
      if (column < row) used[static_cast<std::size_t>(colour[static_cast<std::size_t>(column)])] = row;
    }
    const auto free = std::ranges::find_if(used, [&](std::int64_t seen) { return seen != row; });
    colour[static_cast<std::size_t>(row)] = static_cast<std::int32_t>(free - used.begin());
    if (free == used.end()) used.push_back(-1);
  }
  const auto last = static_cast<std::int32_t>(used.size()) - 1;
  for (auto& one : colour) one = last - one;
  return colour;
}

std::vector<std::int32_t> stages_of(const Crs& a, const std::string& ordering) {
  return ordering == "colours" ? colours(a) : dependency_levels(a);
}

Layout::Layout(std::vector<std::int32_t> stage_of_rows, const Parts& threads)
    : stage(std::move(stage_of_rows)), place(stage.size()) {
  const auto stage_count = static_cast<std::size_t>(*std::ranges::max_element(stage)) + 1;
  // Sort the rows by stage, keeping their order within a stage.
  std::vector<std::int64_t> begin(stage_count + 1);
  for (const auto one : stage) ++begin[static_cast<std::size_t>(one) + 1];
  for (std::size_t s = 0; s < stage_count; ++s) begin[s + 1] += begin[s];
  std::vector<std::int32_t> rows(stage.size());
  {
    auto next = begin;
    for (std::size_t r = 0; r < stage.size(); ++r) {
      rows[static_cast<std::size_t>(next[static_cast<std::size_t>(stage[r])]++)] = static_cast<std::int32_t>(r);
    }
  }

  first.resize(static_cast<std::size_t>(threads.count()));
  std::vector<std::vector<std::int32_t>> own(first.size());
#pragma omp parallel for schedule(static, 1)
  for (int thread = 0; thread < threads.count(); ++thread) {
    auto& places = own[static_cast<std::size_t>(thread)];
    auto& starts = first[static_cast<std::size_t>(thread)];
    places.reserve(stage.size() / first.size() + stage_count * lanes);
    for (std::size_t s = 0; s < stage_count; ++s) {
      starts.push_back(static_cast<std::int64_t>(places.size()) / lanes);
      const auto [from, to] = share(begin[s], begin[s + 1], thread, threads, lanes);
      places.insert(places.end(), rows.begin() + from, rows.begin() + to);
      places.resize((places.size() + lanes - 1) / lanes * lanes, -1);
    }
    starts.push_back(static_cast<std::int64_t>(places.size()) / lanes);
  }

  for (std::size_t thread = 0; thread < own.size(); ++thread) {
    const auto before = static_cast<std::int64_t>(row.size()) / lanes;
    for (auto& chunk : first[thread]) chunk += before;
    row.insert(row.end(), own[thread].begin(), own[thread].end());
  }
  for (std::size_t p = 0; p < row.size(); ++p) {
    if (row[p] >= 0) place[static_cast<std::size_t>(row[p])] = static_cast<std::int32_t>(p);
  }
}

}  // namespace banzuke::hpcg
