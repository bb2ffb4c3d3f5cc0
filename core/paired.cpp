#include "core/paired.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "core/clock.hpp"

namespace banzuke {
namespace {

double quantile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  const double at = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const auto above = std::min(below + 1, values.size() - 1);
  return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
}

}  // namespace

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

void compare_ways(const std::vector<Way>& ways, int rounds, double work, const std::string& unit) {
  std::vector<std::vector<double>> seconds(ways.size());
  for (int round = -1; round < rounds; ++round) {  // the first round warms up
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const double start = now();
      ways[i].run();
      if (round >= 0) seconds[i].push_back(now() - start);
    }
  }
  for (std::size_t i = 0; i < ways.size(); ++i) {
    std::vector<double> ratios;
    ratios.reserve(seconds[i].size());
    for (std::size_t round = 0; round < seconds[i].size(); ++round) {
      ratios.push_back(seconds[i][round] / seconds[0][round]);
    }
    std::printf("%-44s %9.2f %s   first is %.3f times as fast (quartiles %.3f to %.3f)\n", ways[i].name.c_str(),
                work / median(seconds[i]) / 1e9, unit.c_str(), median(ratios), quantile(ratios, 0.25),
                quantile(ratios, 0.75));
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
