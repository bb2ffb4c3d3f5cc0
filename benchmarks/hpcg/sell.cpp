#include "sell.hpp"

#include <limits>

namespace banzuke::hpcg {

void Sell::add(std::array<Row, lanes>& rows, Part& part) {
  constexpr std::int32_t reach = std::numeric_limits<std::uint16_t>::max();
  constexpr std::int32_t none = std::numeric_limits<std::int32_t>::max();
  for (auto& row : rows) std::ranges::sort(row);
  std::array<std::size_t, lanes> taken{};
  while (true) {
    std::int32_t base = none;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      if (taken[lane] < rows[lane].size()) base = std::min(base, rows[lane][taken[lane]].first);
    }
    if (base == none) return;
    part.base.push_back(base);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const bool fits = taken[lane] < rows[lane].size() && rows[lane][taken[lane]].first - base <= reach;
      // A missing entry becomes 0 times a value that another row of the chunk reads, which no thread is changing at the
      // time.
      const auto [place, value] = fits ? rows[lane][taken[lane]] : std::pair{base, 0.0};
      taken[lane] += static_cast<std::size_t>(fits);
      part.offset.push_back(static_cast<std::uint16_t>(place - base));
      part.value.push_back(value);
    }
  }
}

void Sell::join(const std::vector<Part>& parts) {
  const auto slots = static_cast<std::size_t>(begin_.back());
  base_ = std::make_unique<Array<std::int32_t>>(slots);
  offset_ = std::make_unique<Array<std::uint16_t>>(slots * lanes);
  value_ = std::make_unique<Array<double>>(slots * lanes);
  std::vector<std::size_t> first(parts.size() + 1);
  for (std::size_t i = 0; i < parts.size(); ++i) first[i + 1] = first[i] + parts[i].base.size();
  // Each thread is the first to touch the data that it works on.
#pragma omp parallel for schedule(static, 1)
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::ranges::copy(parts[i].base, base_->data() + first[i]);
    std::ranges::copy(parts[i].offset, offset_->data() + first[i] * lanes);
    std::ranges::copy(parts[i].value, value_->data() + first[i] * lanes);
  }
}

}  // namespace banzuke::hpcg
