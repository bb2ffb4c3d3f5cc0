// The factorisation and the solution, on one rank of the grid.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/hidden.hpp"
#include "core/json.hpp"
#include "core/record.hpp"
#include "hpl.hpp"
#include "profile.hpp"

namespace banzuke::hpl {

class Lu {
 public:
  Lu(const Params& params, const Communicator& ranks, const std::vector<std::vector<int>>& places);

  // The official problem, or any other: element(row, column), b is column n.
  void generate();
  void fill(const std::function<double(std::int64_t, std::int64_t)>& element);

  // progress(share of the flops done) is called after each step. Throws std::runtime_error on every rank when a column
  // has no pivot: the matrix is singular.
  void factorise(const std::function<void(double)>& progress = [](double) {});
  // Back substitution. The solution's entries of my process column's columns.
  const std::vector<double>& solve();

  // The official check: max|b - A x| / (eps (||A|| ||x|| + ||b||) n) in infinity norms, A and b generated again.
  double residual() const;

  // One number for the order of the pivots, the same on every rank: equal factorisations have equal ones.
  std::uint64_t pivot_digest() const;
  const Profile& profile() const;
  Json::Object software() const;             // the library
  Json::Object conditions() const;           // how it was done
  std::vector<Verification> checks() const;  // beside the residual

 private:
  struct Impl;
  Hidden<Impl> impl_;
};

inline constexpr double tolerance = 16.0;

}  // namespace banzuke::hpl
