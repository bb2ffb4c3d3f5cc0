#include "timed.hpp"

#include <algorithm>
#include <cmath>

namespace banzuke::ior {

Series series_of(const Moved& moved, std::int64_t transfer, const Communicator& ranks) {
  Timeline timeline = moved.timeline;
  const double seconds = ranks.maximum(moved.seconds);
  timeline.add(seconds, 0.0);  // until the data was on the storage and the last file closed
  const double width = ranks.maximum(timeline.width());
  while (timeline.width() < width) timeline.widen();
  const double rate = static_cast<double>(moved.transfers * transfer) / moved.seconds;
  const bool lowest = ranks.maximum(-rate) == -rate;
  const double slow = -ranks.maximum(lowest ? -static_cast<double>(ranks.rank()) : -static_cast<double>(ranks.size()));
  std::vector<double> of_all = timeline.bytes();
  std::vector<double> of_slowest(of_all.size());
  if (ranks.rank() == static_cast<int>(slow)) of_slowest = of_all;
  ranks.sum(of_all);
  ranks.sum(of_slowest);
  const auto hosts = ranks.gather(Communicator::host());
  Series out{.unit = "B", .resolution = static_cast<double>(transfer), .lines = {}};
  if (ranks.rank() != 0) return out;
  const auto used = std::min(of_all.size(), static_cast<std::size_t>(seconds / width) + 1);
  const auto line = [&](const std::vector<double>& bytes) {
    SeriesLine made{.host = hosts[static_cast<std::size_t>(slow)]};
    for (std::size_t i = 0; i < used; ++i) {
      made.values.push_back(std::llround(bytes[i] / out.resolution));
      made.times.push_back(std::min(seconds, static_cast<double>(i + 1) * width));
    }
    return made;
  };
  out.lines.push_back(line(of_all));
  out.lines.back().host = "";
  out.lines.push_back(line(of_slowest));
  out.lines.back().rank = static_cast<int>(slow);
  return out;
}

}  // namespace banzuke::ior
