#include "reference.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace banzuke::hpcg {

void multiply(const Crs& a, const double* x, double* y) {
  for (std::int64_t row = 0; row < a.rows; ++row) {
    double sum = 0.0;
    for (std::int64_t k = a.start[row]; k < a.start[row + 1]; ++k) sum += a.value[k] * x[a.column[k]];
    y[row] = sum;
  }
}

void smooth(const Crs& a, const double* r, double* x) {
  const auto relax = [&](std::int64_t row) {
    double sum = r[row];
    double diagonal = 0.0;
    for (std::int64_t k = a.start[row]; k < a.start[row + 1]; ++k) {
      if (a.column[k] == row) {
        diagonal = a.value[k];
      } else {
        sum -= a.value[k] * x[a.column[k]];
      }
    }
    x[row] = sum / diagonal;
  };
  for (std::int64_t row = 0; row < a.rows; ++row) relax(row);
  for (std::int64_t row = a.rows - 1; row >= 0; --row) relax(row);
}

double largest_error(std::span<const double> x) {
  double error = 0.0;
  for (const double one : x) {
    const double difference = std::abs(one - 1.0);
    if (std::isnan(difference)) return difference;
    error = std::max(error, difference);
  }
  return error;
}

Reference::Part::Part(const SubCommunicator& ranks, const Grid& grid, std::vector<std::int32_t> rows)
    : matrix(make_matrix(grid)),
      halo(ranks, matrix.neighbours, matrix.a.rows),
      fine(std::move(rows)),
      right(static_cast<std::size_t>(matrix.a.columns)),
      answer(right.size()),
      product(right.size()) {}

Reference::Reference(const SubCommunicator& ranks, const Grid& grid) : ranks_(ranks) {
  parts_.emplace_back(ranks, grid, std::vector<std::int32_t>{});
  for (Grid at = grid; parts_.size() < levels;) {
    auto rows = fine_rows(at);
    at = at.coarser();
    parts_.emplace_back(ranks, at, std::move(rows));
  }
}

void Reference::product(std::vector<double>& x, std::vector<double>& y) {
  parts_[0].halo.exchange(x.data());
  multiply(parts_[0].matrix.a, x.data(), y.data());
}

void Reference::precondition(std::size_t level, const std::vector<double>& r, std::vector<double>& z) {
  Part& part = parts_[level];
  std::ranges::fill(z, 0.0);
  smooth(part.matrix.a, r.data(), z.data());
  if (level + 1 == parts_.size()) return;
  Part& coarse = parts_[level + 1];
  part.halo.exchange(z.data());
  multiply(part.matrix.a, z.data(), part.product.data());
  for (std::size_t row = 0; row < coarse.fine.size(); ++row) {
    const auto fine = static_cast<std::size_t>(coarse.fine[row]);
    coarse.right[row] = r[fine] - part.product[fine];
  }
  precondition(level + 1, coarse.right, coarse.answer);
  for (std::size_t row = 0; row < coarse.fine.size(); ++row) {
    z[static_cast<std::size_t>(coarse.fine[row])] += coarse.answer[row];
  }
  part.halo.exchange(z.data());
  smooth(part.matrix.a, r.data(), z.data());
}

double Reference::dot(const std::vector<double>& x, const std::vector<double>& y) const {
  double sum = 0.0;
  for (std::int64_t row = 0; row < parts_[0].matrix.a.rows; ++row) sum += x[row] * y[row];
  ranks_.sum({&sum, 1});
  return sum;
}

Convergence Reference::solve(const std::vector<double>& b, std::vector<double>& x, std::int64_t iterations,
                             double reduction, const std::function<void(std::int64_t)>& report) {
  const auto size = static_cast<std::size_t>(parts_[0].matrix.a.columns);
  const auto rows = static_cast<std::size_t>(parts_[0].matrix.a.rows);
  std::vector<double> r(size);
  std::vector<double> z(size);
  std::vector<double> p(size);
  std::vector<double> ap(size);
  x.assign(size, 0.0);
  std::copy_n(b.begin(), rows, r.begin());
  Convergence out;
  out.first = out.last = std::sqrt(dot(r, r));
  double rz = 0.0;
  while (out.iterations < iterations && !(out.reduction() <= reduction)) {
    precondition(r, z);
    const double before = std::exchange(rz, dot(r, z));
    const double beta = out.iterations == 0 ? 0.0 : rz / before;
    for (std::size_t row = 0; row < rows; ++row) p[row] = z[row] + beta * p[row];
    product(p, ap);
    const double alpha = rz / dot(p, ap);
    for (std::size_t row = 0; row < rows; ++row) {
      x[row] += alpha * p[row];
      r[row] -= alpha * ap[row];
    }
    out.last = std::sqrt(dot(r, r));
    ++out.iterations;
    if (report) report(out.iterations);
  }
  return out;
}

}  // namespace banzuke::hpcg
