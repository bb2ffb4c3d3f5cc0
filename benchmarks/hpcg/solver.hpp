// The optimised solver: the reference's method, rows in another order and storage, several threads a rank.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/hidden.hpp"
#include "core/record.hpp"
#include "plain.hpp"
#include "profile.hpp"

namespace banzuke::hpcg {

// What takes its time once a process, whatever is computed: a device's start and the loading of its kernels.
// Collective.
void start_backend(const SubCommunicator& ranks);

class Solver {
 public:
  // Collective. Copies what it needs; the plain problem may go afterwards.
  Solver(const SubCommunicator& ranks, const Plain& plain, const std::string& ordering);

  // From x = 0, at most so many iterations or to the reduction. Blocks.
  Convergence solve(std::int64_t iterations, double reduction, bool preconditioned = true);
  // Where the last solve's time went.
  const Profile& profile() const;
  // The last solution, by row.
  std::vector<double> solution() const;

  // Replaces the finest level's diagonal and the right-hand side, by row.
  void replace(const std::vector<double>& diagonal, const std::vector<double>& b);

  // y = A x and z = the V-cycle's answer to r, by row; for the tests.
  std::vector<double> product(const std::vector<double>& x);
  std::vector<double> precondition(const std::vector<double>& r);

  std::int64_t stages() const;  // on the finest level
  double matrix_bytes() const;  // of this rank, all levels
  double memory_bytes() const;  // with the vectors and lists
  std::string kernels() const;
  // What else the record shows, and checks of the clock that the profile is by.
  Json::Object conditions() const;
  std::vector<Verification> checks() const;

 private:
  struct Impl;
  Hidden<Impl> impl_;
};

}  // namespace banzuke::hpcg
