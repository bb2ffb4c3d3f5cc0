// Shared by tests: ranks, and differences of vectors.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "core/communicator.hpp"
#include "core/subcommunicator.hpp"

namespace banzuke {

// The only rank of a test program, as one object because MPI starts once per process; not needed in programs with
// several ranks.
inline const Communicator& alone() {
  static int argc = 0;
  static char** argv = nullptr;
  static const Communicator one(argc, argv);
  return one;
}

// The same rank as a subcommunicator.
inline const SubCommunicator& only_rank() {
  static const SubCommunicator one(alone(), 0, 0);
  return one;
}

// max |x - y| / max |y|; NaN if x has one.
inline double difference(const std::vector<double>& x, const std::vector<double>& y) {
  double most = 0.0;
  double size = 0.0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double apart = std::abs(x[i] - y[i]);
    if (std::isnan(apart)) return apart;
    most = std::max(most, apart);
    size = std::max(size, std::abs(y[i]));
  }
  return size > 0.0 ? most / size : most;
}

// Expectations that each rank checks and reports for itself.
class RankTests {
 public:
  explicit RankTests(const Communicator& ranks) : ranks_(ranks) {}

  // Returns whether all expectations were met on all ranks. Collective.
  bool all_right() const { return ranks_.maximum(wrong_) == 0.0; }

 protected:
  void expect(bool right, const char* what) {
    if (right) return;
    wrong_ = 1.0;
    std::fprintf(stderr, "rank %d of %d: wrong: %s: %s\n", ranks_.rank(), ranks_.size(), name_.c_str(), what);
  }

  const Communicator& ranks_;
  std::string name_;  // of the current test

 private:
  double wrong_ = 0.0;
};

}  // namespace banzuke
