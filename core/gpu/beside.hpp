// Programs that set ours beside another way to do the same on a device: a vendor's library, or a kernel as people write
// it first. Text for people goes to the standard error output, and to the standard output a line of JSON for each pair.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/json.hpp"

namespace banzuke::gpu {

// One of ours and another way, in the same turns.
struct Pair {
  std::string subject;  // "dgemm, order 8192"
  std::string beside;   // "cuBLAS called directly"
  // Of each turn: how many times as fast ours was. Of a theoretical peak: the part of it that ours reached.
  std::vector<double> ratios;
  double rate = 0.0;         // ours, the median
  double beside_rate = 0.0;  // of the other
  std::string unit{};        // of both; empty: there are no rates, as of a mean of ratios
  Json::Object more{};       // what else is known of it
};

// Of seconds that both took in each turn, for so much work.
Pair pair_of(const std::string& subject, const std::string& beside, const std::vector<double>& ours,
             const std::vector<double>& theirs, double work, const std::string& unit);

// `goal`: of those that the kit knows (scripts/kit/goals.py), the one that this measures; empty: none.
void tell(const Pair& pair, const std::string& goal = "");

// Whether a result's error is within its bound; says so where it is not, NaN included.
bool right(const std::string& what, double error, double bound);

// Exit status of a program that does this: 0, 1 where it returns false or fails, 2 where there is no device.
int run_beside(const std::function<bool()>& body);

}  // namespace banzuke::gpu
