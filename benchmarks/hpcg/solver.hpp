// The optimised solver: the reference's method with a different row order and storage, and several threads per rank.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/hidden.hpp"
#include "core/record.hpp"
#include "plain.hpp"
#include "profile.hpp"

namespace banzuke::hpcg {

// One-time start-up cost of a process: starting a device and loading its kernels. Collective.
void start_backend(const SubCommunicator& ranks);

class Solver {
 public:
  // Collective. Copies what it needs; the plain problem may be destroyed afterwards.
  Solver(const SubCommunicator& ranks, const Plain& plain, const std::string& ordering);

  // Solves from x = 0, with at most `iterations` iterations or until the reduction is reached. Blocking.
  Convergence solve(std::int64_t iterations, double reduction, bool preconditioned = true);
  // Breakdown of the last solve's time.
  const Profile& profile() const;
  // The last solution, by row.
  std::vector<double> solution() const;

  // Replaces the finest level's diagonal and the right-hand side, by row.
  void replace(const std::vector<double>& diagonal, const std::vector<double>& b);

  // y = A x and z = the V-cycle applied to r, by row; for the tests.
  std::vector<double> product(const std::vector<double>& x);
  std::vector<double> precondition(const std::vector<double>& r);

  std::int64_t stages() const;  // on the finest level
  double matrix_bytes() const;  // of this rank, all levels
  double memory_bytes() const;  // including vectors and lists
  std::string kernels() const;
  // Further contents of the record, and checks of the clock behind the profile.
  Json::Object conditions() const;
  std::vector<Verification> checks() const;

 private:
  struct Impl;
  Hidden<Impl> impl_;
};

}  // namespace banzuke::hpcg
