#include "sell.hpp"

#include <limits>
#include <tuple>

namespace banzuke::hpcg {

std::int64_t Sell::add(std::array<Row, lanes>& rows, Part& part) {
  constexpr std::int32_t reach = std::numeric_limits<std::uint16_t>::max();
  constexpr std::int32_t none = std::numeric_limits<std::int32_t>::max();
  for (auto& row : rows) std::ranges::sort(row);
  std::array<std::size_t, lanes> taken{};
  Part apart;
  while (true) {
    std::int32_t base = none;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      if (taken[lane] < rows[lane].size()) base = std::min(base, rows[lane][taken[lane]].first);
    }
    if (base == none) break;
    std::array<std::uint16_t, lanes> offset{};
    std::array<double, lanes> value{};
    bool follow = true;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const bool fits = taken[lane] < rows[lane].size() && rows[lane][taken[lane]].first - base <= reach;
      // A missing entry becomes 0 times a value that another row of the chunk reads, which no thread is changing at the
      // time.
      std::int32_t place = base;
      if (fits) std::tie(place, value[lane]) = rows[lane][taken[lane]++];
      offset[lane] = static_cast<std::uint16_t>(place - base);
      follow = follow && offset[lane] == lane;
    }
    Part& to = follow ? part : apart;
    to.base.push_back(base);
    if (!follow) to.offset.insert(to.offset.end(), offset.begin(), offset.end());
    to.value.insert(to.value.end(), value.begin(), value.end());
  }
  part.base.insert(part.base.end(), apart.base.begin(), apart.base.end());
  part.offset.insert(part.offset.end(), apart.offset.begin(), apart.offset.end());
  part.value.insert(part.value.end(), apart.value.begin(), apart.value.end());
  return static_cast<std::int64_t>(apart.base.size());
}

void Sell::join(const std::vector<Part>& parts) {
  const auto slots = static_cast<std::size_t>(begin_.back());
  base_ = std::make_unique<Array<std::int32_t>>(slots);
  offset_ = std::make_unique<Array<std::uint16_t>>(static_cast<std::size_t>(apart_.back()) * lanes);
  value_ = std::make_unique<Array<double>>(slots * lanes);
  std::vector<std::size_t> first(parts.size() + 1);
  std::vector<std::size_t> first_offset(parts.size() + 1);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    first[i + 1] = first[i] + parts[i].base.size();
    first_offset[i + 1] = first_offset[i] + parts[i].offset.size();
  }
  // Each thread is the first to touch the data that it works on.
#pragma omp parallel for schedule(static, 1)
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::ranges::copy(parts[i].base, base_->data() + first[i]);
    std::ranges::copy(parts[i].offset, offset_->data() + first_offset[i]);
    std::ranges::copy(parts[i].value, value_->data() + first[i] * lanes);
  }
}

}  // namespace banzuke::hpcg
