// For programs that compare our implementation with another on a device: a vendor's library, or a straightforward
// kernel. Readable text goes to standard error, a line of JSON for each pair to standard output.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/json.hpp"

namespace banzuke::gpu {

// Our implementation and another one, timed in the same turns.
struct Pair {
  std::string subject;  // "dgemm, order 8192"
  std::string beside;   // "cuBLAS called directly"
  // For each turn, the speed-up of ours; against a theoretical peak, the fraction that ours reached.
  std::vector<double> ratios;
  double rate = 0.0;         // ours, the median
  double beside_rate = 0.0;  // the other's
  std::string unit{};        // of both rates; empty: there are no rates, as for a mean of ratios
  Json::Object more{};       // what else is known about the pair
};

// Makes a pair from the seconds that each implementation took for `work` in each turn.
Pair pair_of(const std::string& subject, const std::string& beside, const std::vector<double>& ours,
             const std::vector<double>& theirs, double work, const std::string& unit);

// Prints the pair. `goal`: the goal of the kit (scripts/kit/goals.py) that it measures, or empty.
void tell(const Pair& pair, const std::string& goal = "");

// Returns whether a result's error is within its bound; prints a message if it is not, or is NaN.
bool right(const std::string& what, double error, double bound);

// Runs `body` and returns the exit status: 0; 1 if it returns false or throws; 2 if there is no device.
int run_beside(const std::function<bool()>& body);

}  // namespace banzuke::gpu
