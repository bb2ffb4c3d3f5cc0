// For tests with ranks.
#pragma once

#include <cstdio>
#include <string>

#include "core/communicator.hpp"

namespace banzuke {

// The only rank of a test program, since MPI starts once in a process; not needed in one that runs with several.
inline const Communicator& alone() {
  static int argc = 0;
  static char** argv = nullptr;
  static const Communicator one(argc, argv);
  return one;
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
