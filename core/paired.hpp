// Two or more ways to do the same, timed in turn within the same minutes and compared pair by pair, so that a
// machine whose speed drifts still gives a ratio to believe.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace banzuke {

struct Way {
  std::string name;
  std::function<void()> run;  // one blocking repetition
};

// Prints one line a way: its median rate, and the median and quartiles of (time of the way / time of the first),
// which is how many times faster the first one is. `work` is the amount of `unit` of one repetition.
void compare_ways(const std::vector<Way>& ways, int rounds, double work, const std::string& unit);

// A way that times itself: `run` returns the seconds of one repetition, by whichever clock it has.
struct TimedWay {
  std::string name;
  std::function<double()> run;
};

// Seconds of each way in each turn; every turn begins with another way. One turn before them is not counted.
std::vector<std::vector<double>> take_turns(const std::vector<TimedWay>& ways, int turns);

double median(std::vector<double> values);
// The quantile of sorted or unsorted values, interpolated linearly; share 0.5 is the median.
double quantile(std::vector<double> values, double share);
double geometric_mean(const std::vector<double>& values);
// values[i] / by[i]
std::vector<double> ratios(const std::vector<double>& values, const std::vector<double>& by);

// Argument `at` of a program as a positive number, `otherwise` when it is not given; ends the program with status 2
// and a message when it is something else.
int positive_argument(int argc, char** argv, int at, int otherwise);

}  // namespace banzuke
