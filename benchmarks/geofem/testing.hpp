// Shared by the tests: the straightforward loops with which the solver is compared, and their input.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "assembly.hpp"
#include "core/random.hpp"
#include "ordering.hpp"

namespace banzuke::geofem {

inline std::vector<double> numbers(std::int64_t size, std::uint64_t stream) {
  std::vector<double> out(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = uniform(stream, i) - 0.5;
  return out;
}

inline double dot(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

// Returns whether every node is in exactly one stage and no stage has two neighbours.
inline bool valid(const Crs& graph, const Ordering& ordering) {
  std::vector<std::int64_t> stage(static_cast<std::size_t>(graph.rows), -1);
  for (std::int64_t s = 0; s < ordering.stages(); ++s) {
    for (auto i = ordering.start[s]; i < ordering.start[s + 1]; ++i) {
      if (stage[ordering.node[i]] != -1) return false;
      stage[ordering.node[i]] = s;
    }
  }
  for (std::int64_t node = 0; node < graph.rows; ++node) {
    if (stage[node] == -1) return false;
    for (const auto other : graph.columns_of(node)) {
      if (stage[node] == stage[other]) return false;
    }
  }
  return true;
}

// A rank's rows by node, and the loops over them from geofem.hpp's comment.
struct Plain {
  explicit Plain(const Domain& domain) : own(domain.own()) {
    const Assembly assembly(domain);
    for (std::int64_t node = 0; node < own; ++node) {
      rows.push_back(assembly.row(node));
      const auto force = load(domain.whole(), domain.position(node));
      b.insert(b.end(), force.begin(), force.end());
    }
  }

  // A x; x has the external nodes too.
  std::vector<double> multiply(const std::vector<double>& x) const {
    std::vector<double> y(static_cast<std::size_t>(3 * own));
    for (std::int64_t node = 0; node < own; ++node) {
      const auto sum = row_sum(node, x, [](std::int64_t) { return true; });
      for (int i = 0; i < 3; ++i) y[3 * node + i] = sum[i];
    }
    return y;
  }

  // M^-1 r; `stage` by node.
  std::vector<double> precondition(const std::vector<double>& r, const std::vector<std::int32_t>& stage) const {
    std::vector<double> z(static_cast<std::size_t>(3 * own));
    std::int32_t stages = 0;
    for (const auto one : stage) stages = std::max(stages, one + 1);
    for (std::int32_t s = 0; s < stages; ++s) {
      for (std::int64_t node = 0; node < own; ++node) {
        if (stage[node] != s) continue;
        auto sum = row_sum(node, z, [&](std::int64_t other) { return other < own && stage[other] < s; });
        for (int i = 0; i < 3; ++i) sum[i] = r[3 * node + i] - sum[i];
        const auto x = solve(diagonal(node), sum);
        for (int i = 0; i < 3; ++i) z[3 * node + i] = x[i];
      }
    }
    for (std::int32_t s = stages; s-- > 0;) {
      for (std::int64_t node = 0; node < own; ++node) {
        if (stage[node] != s) continue;
        const auto x = solve(diagonal(node),
                             row_sum(node, z, [&](std::int64_t other) { return other < own && stage[other] > s; }));
        for (int i = 0; i < 3; ++i) z[3 * node + i] -= x[i];
      }
    }
    return z;
  }

  // Iterations until |r| <= wanted |b|, on one rank.
  std::int64_t solve_all(const std::vector<std::int32_t>& stage, double wanted) const {
    std::vector<double> r = b;
    std::vector<double> p(b.size());
    double before = 0.0;
    std::int64_t iteration = 0;
    while (dot(r, r) > wanted * wanted * dot(b, b)) {
      const auto z = precondition(r, stage);
      const double rho = dot(r, z);
      for (std::size_t i = 0; i < p.size(); ++i) p[i] = z[i] + (iteration > 0 ? rho / before : 0.0) * p[i];
      const auto q = multiply(p);
      const double alpha = rho / dot(p, q);
      for (std::size_t i = 0; i < p.size(); ++i) r[i] -= alpha * q[i];
      before = rho;
      ++iteration;
    }
    return iteration;
  }

  std::int64_t own;
  std::vector<Row> rows;
  std::vector<double> b;

 private:
  using Three = std::array<double, 3>;

  const Block& diagonal(std::int64_t node) const { return rows[node].block[rows[node].diagonal]; }

  template <class Belongs>
  Three row_sum(std::int64_t node, const std::vector<double>& x, Belongs belongs) const {
    Three sum{};
    const Row& row = rows[node];
    for (int k = 0; k < row.size; ++k) {
      if (!belongs(row.node[k])) continue;
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) sum[i] += row.block[k][3 * i + j] * x[3 * row.node[k] + j];
      }
    }
    return sum;
  }

  // Cramer's rule.
  static Three solve(const Block& a, const Three& y) {
    const auto determinant = [](const Block& m) {
      return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) +
             m[2] * (m[3] * m[7] - m[4] * m[6]);
    };
    Three x{};
    for (std::size_t column = 0; column < 3; ++column) {
      Block m = a;
      for (std::size_t i = 0; i < 3; ++i) m[3 * i + column] = y[i];
      x[column] = determinant(m) / determinant(a);
    }
    return x;
  }
};

}  // namespace banzuke::geofem
