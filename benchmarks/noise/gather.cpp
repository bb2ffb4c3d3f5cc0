#include "gather.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <sstream>

namespace banzuke::noise {
namespace {

constexpr double nothing = -1.0;

std::size_t most_threads(const Communicator& ranks, std::size_t own) {
  return static_cast<std::size_t>(ranks.maximum(static_cast<double>(own)));
}

}  // namespace

Figures::Figures(const Communicator& ranks, const std::vector<double>& own)
    : first_(most_threads(ranks, own.size()) * static_cast<std::size_t>(ranks.rank())),
      threads_(own.size()),
      values_(most_threads(ranks, own.size()) * static_cast<std::size_t>(ranks.size()), nothing) {
  std::ranges::copy(own, values_.begin() + static_cast<std::ptrdiff_t>(first_));
  ranks.maximum(values_);
}

std::vector<double> Figures::all() const {
  std::vector<double> out;
  std::ranges::copy_if(values_, std::back_inserter(out), [](double value) { return value > nothing; });
  return out;
}

double Figures::largest() const { return *std::ranges::max_element(values_); }

std::vector<bool> Figures::among_largest(std::size_t most) const {
  std::vector<std::size_t> order(values_.size());
  std::iota(order.begin(), order.end(), 0);
  const auto cut = order.begin() + static_cast<std::ptrdiff_t>(std::min(most, order.size()));
  std::ranges::partial_sort(order, cut, [&](std::size_t one, std::size_t other) {
    return values_[one] != values_[other] ? values_[one] > values_[other] : one < other;
  });
  std::vector<bool> out(threads_);
  for (auto place = order.begin(); place != cut; ++place) {
    if (*place >= first_ && *place < first_ + threads_) out[*place - first_] = true;
  }
  return out;
}

Series gather_series(const Communicator& ranks, const std::vector<Line>& own, const std::string& unit,
                     double resolution, std::size_t processors) {
  // For each line: a header line of text, then the values in binary.
  std::string packed;
  for (const auto& line : own) {
    std::ostringstream head;
    head << line.thread << ' ' << line.cpu << ' ' << line.base << ' ' << line.values.size() << ' '
         << Communicator::host() << '\n';
    packed += head.str();
    packed.append(reinterpret_cast<const char*>(line.values.data()), line.values.size() * sizeof(std::int64_t));
  }
  const auto by_rank = ranks.gather(packed);
  Series out{.unit = unit, .resolution = resolution, .lines = {}, .left_out = 0};
  for (std::size_t rank = 0; rank < by_rank.size(); ++rank) {
    const std::string& text = by_rank[rank];
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      std::istringstream head(text.substr(at, end - at));
      SeriesLine line;
      line.rank = static_cast<int>(rank);
      int thread = 0;
      int cpu = 0;
      std::int64_t base = 0;
      std::size_t size = 0;
      head >> thread >> cpu >> base >> size >> line.host;
      line.thread = thread;
      line.cpu = cpu;
      line.base = static_cast<double>(base) * resolution;
      line.values.resize(size);
      std::memcpy(line.values.data(), text.data() + end + 1, size * sizeof(std::int64_t));
      out.lines.push_back(std::move(line));
      at = end + 1 + size * sizeof(std::int64_t);
    }
  }
  out.left_out = static_cast<std::int64_t>(processors - std::min(processors, out.lines.size()));
  return out;
}

Counts gather_counts(const Communicator& ranks, Counts own) {
  constexpr std::size_t most = 12;
  const auto largest_first = [](Counts& counts) {
    std::ranges::stable_sort(counts, std::ranges::greater(), &Counts::value_type::second);
  };
  largest_first(own);
  std::ostringstream text;
  std::int64_t others = 0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (i < most) {
      text << own[i].second << ' ' << own[i].first << '\n';
    } else {
      others += own[i].second;
    }
  }
  if (others > 0) text << others << " others\n";
  std::map<std::string, std::int64_t> sums;
  for (const auto& lines : ranks.gather(text.str())) {
    std::istringstream in(lines);
    std::int64_t count = 0;
    for (std::string name; in >> count && in.ignore() && std::getline(in, name);) sums[name] += count;
  }
  Counts out(sums.begin(), sums.end());
  largest_first(out);
  return out;
}

}  // namespace banzuke::noise
