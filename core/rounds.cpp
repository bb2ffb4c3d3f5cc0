#include "core/rounds.hpp"

#include <algorithm>
#include <utility>

namespace banzuke {
namespace {

constexpr std::size_t most_intervals = 20;

}  // namespace

Breakdown Rounds::breakdown(std::string along, double flops, const Communicator& ranks) const {
  const std::size_t parts = names_.size();
  const std::size_t intervals = std::min(count(), most_intervals);
  std::vector<double> seconds(parts * intervals);
  Breakdown out{.along = std::move(along), .ends = {}, .flops = {}, .seconds = {}};
  std::size_t round = 0;
  for (std::size_t i = 0; i < intervals; ++i) {
    const std::size_t begin = round;
    for (; round < count() * (i + 1) / intervals; ++round) {
      for (std::size_t part = 0; part < parts; ++part) {
        seconds[part * intervals + i] += seconds_[round * parts + part] / static_cast<double>(ranks.size());
      }
    }
    out.ends.push_back(static_cast<double>(round) / static_cast<double>(count()));
    out.flops.push_back(flops * static_cast<double>(round - begin));
  }
  ranks.sum(seconds);
  for (std::size_t part = 0; part < parts; ++part) {
    const auto* first = seconds.data() + part * intervals;
    out.seconds.emplace_back(names_[part], std::vector<double>(first, first + intervals));
  }
  return out;
}

double Rounds::overlapped(const Communicator& ranks) const {
  double all = overlapped_;
  ranks.sum({&all, 1});
  return all / static_cast<double>(count()) / static_cast<double>(ranks.size());
}

}  // namespace banzuke
