// The plain loops against which the optimised solver is checked: serial, by rows, in the order of the points. The
// optimised solver must reach the residual that they reach in 50 iterations.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "grid.hpp"

namespace banzuke::hpcg {

// y = A x; x includes the external rows, already exchanged.
void multiply(const Crs& a, const double* x, double* y);
// A forward and a backward sweep.
void smooth(const Crs& a, const double* r, double* x);

struct Convergence {
  std::int64_t iterations = 0;
  double first = 0.0;  // ||r|| before
  double last = 0.0;

  double reduction() const { return last / first; }
};

// The largest error of any row, for the solution 1; NaN if a row is NaN.
double largest_error(std::span<const double> x);

class Reference {
 public:
  // Collective. Makes the matrices of all levels for this rank's part of the grid.
  Reference(const SubCommunicator& ranks, const Grid& grid);

  const Matrix& matrix(int level) const { return parts_[static_cast<std::size_t>(level)].matrix; }
  const std::vector<std::int32_t>& fine(int level) const { return parts_[static_cast<std::size_t>(level)].fine; }

  // z := the V-cycle applied to r; r and z include the external rows.
  void precondition(const std::vector<double>& r, std::vector<double>& z) { precondition(0, r, z); }
  // Exchanges the external rows of x.
  void product(std::vector<double>& x, std::vector<double>& y);
  // Solves from x = 0, with at most `iterations` iterations or until the reduction is reached; `report` is called after
  // each.
  Convergence solve(const std::vector<double>& b, std::vector<double>& x, std::int64_t iterations, double reduction,
                    const std::function<void(std::int64_t)>& report = {});

 private:
  struct Part {
    Part(const SubCommunicator& ranks, const Grid& grid, std::vector<std::int32_t> rows);

    Matrix matrix;
    Halo halo;
    std::vector<std::int32_t> fine;  // by row: the row of the next finer level; empty on the finest
    std::vector<double> right;       // the coarse problem
    std::vector<double> answer;
    std::vector<double> product;
  };

  void precondition(std::size_t level, const std::vector<double>& r, std::vector<double>& z);
  double dot(const std::vector<double>& x, const std::vector<double>& y) const;

  const SubCommunicator& ranks_;
  std::deque<Part> parts_;
};

}  // namespace banzuke::hpcg
