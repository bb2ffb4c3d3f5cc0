// Two or more implementations of the same work, timed alternately within the same minutes and compared pair by pair, so
// that the ratio is reliable even on a machine whose speed drifts.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace banzuke {

struct Way {
  std::string name;
  std::function<void()> run;  // one blocking repetition
};

// Prints one line for each way: its median rate, and the median and quartiles of (its time / time of the first), i.e.
// the speed-up of the first. `work` is the amount of one repetition in `unit`.
void compare_ways(const std::vector<Way>& ways, int rounds, double work, const std::string& unit);

// A way that times itself: `run` returns the seconds of one repetition, by its own clock.
struct TimedWay {
  std::string name;
  std::function<double()> run;
};

// Seconds of each way in each turn; every turn starts with a different way. One warm-up turn is not counted.
std::vector<std::vector<double>> take_turns(const std::vector<TimedWay>& ways, int turns);

double median(std::vector<double> values);
// The quantile of sorted or unsorted values, interpolated linearly; share 0.5 is the median.
double quantile(std::vector<double> values, double share);
double geometric_mean(const std::vector<double>& values);
// values[i] / by[i]
std::vector<double> ratios(const std::vector<double>& values, const std::vector<double>& by);

// Argument `at` of a program as a positive number, or `otherwise` if it is not given; if it is anything else, ends the
// program with a message and status 2.
int positive_argument(int argc, char** argv, int at, int otherwise);

}  // namespace banzuke
