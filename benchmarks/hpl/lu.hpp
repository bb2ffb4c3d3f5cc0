// The factorisation and solution, on one rank of the grid.
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

  // Calls progress(fraction of the flops done) after each step. Throws std::runtime_error on every rank if a column has
  // no pivot, i.e. the matrix is singular.
  void factorise(const std::function<void(double)>& progress = [](double) {});
  // Back substitution. Returns the solution's entries for my process column's columns.
  const std::vector<double>& solve();

  // The official check: max|b - A x| / (eps (||A|| ||x|| + ||b||) n) in infinity norms, A and b regenerated.
  double residual() const;

  // A digest of the pivot order, the same on every rank: equal factorisations have equal digests.
  std::uint64_t pivot_digest() const;
  const Profile& profile() const;
  Json::Object software() const;    // the library
  Json::Object conditions() const;  // how it was done, on this rank
  // device_SPAN_seconds, as means over the ranks with a device; without any nothing. Collective.
  Json::Object device_seconds() const;
  std::vector<Verification> checks() const;  // besides the residual

 private:
  struct Impl;
  Hidden<Impl> impl_;
};

inline constexpr double tolerance = 16.0;

}  // namespace banzuke::hpl
