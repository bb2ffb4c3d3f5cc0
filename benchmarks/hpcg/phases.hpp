// The official phases in order, with their results and times.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/application.hpp"
#include "grid.hpp"
#include "profile.hpp"
#include "solver.hpp"

namespace banzuke::hpcg {

// |x'Ay - y'Ax| relative to the expected rounding error: scaled by squared norms as in the official code, and by the
// norms themselves.
struct Asymmetry {
  double official = 0.0;
  double by_norms = 0.0;
};

struct Tests {
  std::int64_t plain = 0;           // iterations with a scaled diagonal without preconditioner
  std::int64_t preconditioned = 0;  // with it
  Asymmetry spmv;
  Asymmetry mg;
};

struct Outcome {
  double setup_seconds = 0.0;
  double optimization_seconds = 0.0;
  double reference_seconds = 0.0;        // of 50 iterations
  double reference_calls_seconds = 0.0;  // of one product and one V-cycle
  Convergence reference;
  double reference_error = 0.0;  // largest difference of the solution from 1
  Tests tests;
  Convergence optimised;        // up to the reference's reduction
  std::int64_t iterations = 0;  // iterations of a set: as many as needed, but at least those of the reference
  double error = 0.0;
  std::vector<double> set_seconds;
  std::vector<Profile::Seconds> profiles;  // by set, of this rank
  std::vector<double> reductions;          // by set
  Json::Object disturbance;
  std::int64_t stages = 0;
  double matrix_bytes = 0.0;  // of this rank
  double memory_bytes = 0.0;  // held by this rank during the sets
  double huge_pages = 0.0;
  std::string kernels;
  Json::Object conditions;           // added by the backend
  std::vector<Verification> checks;  // of its clock

  double timed() const;
  double variance() const;  // of the reductions
  double mean() const;
};

Outcome run_phases(const Params& params, const Grid& grid, const Context& context);

}  // namespace banzuke::hpcg
