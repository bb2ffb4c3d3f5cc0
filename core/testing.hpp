// What tests share: ranks, and how far vectors are apart.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "core/communicator.hpp"
#include "core/subcommunicator.hpp"

namespace banzuke {

// The only rank of a test program, since MPI starts once in a process; not needed in one that runs with several.
inline const Communicator& alone() {
  static int argc = 0;
  static char** argv = nullptr;
  static const Communicator one(argc, argv);
  return one;
}

// The same rank, where a part of all ranks is wanted.
inline const SubCommunicator& only_rank() {
  static const SubCommunicator one(alone(), 0, 0);
  return one;
}

// max |x - y| / max |y|; NaN where x has one.
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

// Expectations that each rank has for itself, and says where they are not met.
class RankTests {
 public:
  explicit RankTests(const Communicator& ranks) : ranks_(ranks) {}

  // Whether all ranks found everything right. Collective.
  bool all_right() const { return ranks_.maximum(wrong_) == 0.0; }

 protected:
  void expect(bool right, const char* what) {
    if (right) return;
    wrong_ = 1.0;
    std::fprintf(stderr, "rank %d of %d: wrong: %s: %s\n", ranks_.rank(), ranks_.size(), name_.c_str(), what);
  }

  const Communicator& ranks_;
  std::string name_;  // of what is tested now

 private:
  double wrong_ = 0.0;
};

}  // namespace banzuke
