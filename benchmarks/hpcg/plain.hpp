// The original problem and the reference solver, which run where the backend does. All backends' results are equal up
// to rounding.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/hidden.hpp"
#include "grid.hpp"
#include "reference.hpp"

namespace banzuke::hpcg {

class Plain {
 public:
  // Collective.
  Plain(const SubCommunicator& ranks, const Grid& grid);

  // The right-hand side, by row.
  std::vector<double> right_side() const;
  // Does `times` products and V-cycles. Blocking.
  void call(int times);
  // Solves from x = 0 with `iterations` iterations; `report` is called after each.
  Convergence solve(std::int64_t iterations, const std::function<void(std::int64_t)>& report);
  // The error of the last solution in this rank's rows.
  double error() const;

  struct Impl;
  const Impl& impl() const { return *impl_; }

 private:
  Hidden<Impl> impl_;
};

}  // namespace banzuke::hpcg
