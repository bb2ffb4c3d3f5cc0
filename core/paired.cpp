#include "core/paired.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "core/clock.hpp"

namespace banzuke {

double quantile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  const double at = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const auto above = std::min(below + 1, values.size() - 1);
  return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
}

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

double geometric_mean(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

std::vector<double> ratios(const std::vector<double>& values, const std::vector<double>& by) {
  std::vector<double> found(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) found[i] = values[i] / by[i];
  return found;
}

std::vector<std::vector<double>> take_turns(const std::vector<TimedWay>& ways, int turns) {
  std::vector<std::vector<double>> seconds(ways.size());
  for (int turn = -1; turn < turns; ++turn) {
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const std::size_t at = (i + static_cast<std::size_t>(turn + 1)) % ways.size();
      const double took = ways[at].run();
      if (turn >= 0) seconds[at].push_back(took);
    }
  }
  return seconds;
}

void compare_ways(const std::vector<Way>& ways, int rounds, double work, const std::string& unit) {
  std::vector<TimedWay> timed;
  timed.reserve(ways.size());
  for (const Way& way : ways) {
    timed.push_back({way.name, [&way] {
                       const double start = now();
                       way.run();
                       return now() - start;
                     }});
  }
  const auto seconds = take_turns(timed, rounds);
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const auto times = ratios(seconds[i], seconds[0]);
    std::printf("%-44s %9.2f %s   first is %.3f times as fast (quartiles %.3f to %.3f)\n", ways[i].name.c_str(),
                work / median(seconds[i]) / 1e9, unit.c_str(), median(times), quantile(times, 0.25),
                quantile(times, 0.75));
  }
}

int positive_argument(int argc, char** argv, int at, int otherwise) {
  if (at >= argc) return otherwise;
  const std::string text = argv[at];
  int value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || value < 1) {
    std::fprintf(stderr, "%s: '%s' is not a number above zero\n", argv[0], text.c_str());
    std::exit(2);
  }
  return value;
}

}  // namespace banzuke
