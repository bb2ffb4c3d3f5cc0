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

double median(std::vector<double> values);

// Argument `at` of a program as a positive number, `otherwise` when it is not given; ends the program with status 2
// and a word about it when it is something else.
int positive_argument(int argc, char** argv, int at, int otherwise);

}  // namespace banzuke
