#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/isa.hpp"
#include "core/testing.hpp"
#include "kernel_choice.hpp"
#include "matrix.hpp"
#include "testing.hpp"

namespace banzuke::geofem {
namespace {

constexpr double rounding = 1e-13;

// One rank's rows with vectors in the order of rows, and the plain loops with vectors in the order of nodes.
struct Case {
  Case(const Triple& cube, const Triple& grid, int rank, const Kernels& of, int threads, double cache)
      : domain(cube, grid, rank),
        plain(domain),
        graph(graph_of(domain)),
        schedule(graph, multicolour(graph, 11), threads),
        kernels(of),
        matrix(domain, schedule, of.width, cache),
        chunks(schedule.rows() / of.width) {}

  std::vector<double> by_row(const std::vector<double>& by_node) const {
    std::vector<double> out(static_cast<std::size_t>(3 * (schedule.rows() + domain.external()) + 1));
    for (std::size_t i = 0; i < by_node.size(); ++i) {
      const auto node = static_cast<std::int64_t>(i / 3);
      const auto row = node < domain.own() ? schedule.row[node] : schedule.rows() + node - domain.own();
      out[3 * row + i % 3] = by_node[i];
    }
    return out;
  }

  // Returns the values by node; expects that the padding of chunks has stayed zero.
  std::vector<double> by_node(const std::vector<double>& x) const {
    std::vector<double> out(static_cast<std::size_t>(3 * domain.own()));
    for (std::int64_t row = 0; row < schedule.rows(); ++row) {
      for (int i = 0; i < 3; ++i) {
        if (schedule.node[row] < 0) {
          EXPECT_EQ(x[3 * row + i], 0.0);
        } else {
          out[3 * schedule.node[row] + i] = x[3 * row + i];
        }
      }
    }
    return out;
  }

  void multiply() const {
    const auto x = numbers(3 * (domain.own() + domain.external()), 1);
    const auto p = by_row(x);
    std::vector<double> q(p.size());
    double sum = 0.0;
    // In two parts, as for two threads.
    const auto half = chunks / 2;
    const auto outer_half = matrix.outer_chunks() / 2;
    for (const auto& [begin, end] : {std::pair{std::int64_t{0}, half}, std::pair{half, chunks}}) {
      sum += kernels.multiply(matrix.rows(), begin, end, p.data(), q.data());
    }
    for (const auto& [begin, end] :
         {std::pair{std::int64_t{0}, outer_half}, std::pair{outer_half, matrix.outer_chunks()}}) {
      sum += kernels.multiply_outer(matrix.outer(), begin, end, p.data(), q.data());
    }
    const auto expected = plain.multiply(x);
    EXPECT_LE(difference(by_node(q), expected), rounding) << kernels.name;
    auto own = x;
    own.resize(expected.size());
    EXPECT_NEAR(sum, dot(own, expected), rounding * std::sqrt(dot(own, own) * dot(expected, expected))) << kernels.name;
  }

  void precondition() const {
    const auto right = numbers(3 * domain.own(), 2);
    const auto r = by_row(right);
    std::vector<double> z(r.size());
    double sum = 0.0;
    const auto each = [&](auto visit) {
      const auto scale = Schedule::chunk / kernels.width;
      for (std::int64_t at = 0; at < schedule.stages; ++at) {
        for (int thread = 0; thread < schedule.threads; ++thread) {
          visit(at, schedule.begin(thread, at) * scale, schedule.end(thread, at) * scale, thread);
        }
      }
    };
    each([&](std::int64_t, std::int64_t begin, std::int64_t end, int) {
      kernels.forward(matrix.rows(), begin, end, r.data(), z.data());
    });
    each([&](std::int64_t at, std::int64_t, std::int64_t, int thread) {
      const auto scale = Schedule::chunk / kernels.width;
      const auto back = schedule.stages - 1 - at;
      sum += kernels.backward(matrix.rows(), schedule.begin(thread, back) * scale, schedule.end(thread, back) * scale,
                              r.data(), z.data());
    });
    const auto expected = plain.precondition(right, schedule.stage);
    EXPECT_LE(difference(by_node(z), expected), rounding) << kernels.name;
    EXPECT_NEAR(sum, dot(right, expected), rounding * dot(right, right)) << kernels.name;
  }

  Domain domain;
  Plain plain;
  Crs graph;
  Schedule schedule;
  const Kernels& kernels;
  Matrix matrix;
  std::int64_t chunks;
};

TEST(Kernels, AgreeWithThePlainLoops) {
  struct Part {
    Triple cube, grid;
    int rank;
  };
  const std::vector<Part> parts{{{2, 2, 2}, {1, 1, 1}, 0}, {{2, 3, 5}, {1, 1, 1}, 0}, {{7, 9, 11}, {1, 1, 1}, 0},
                                {{2, 2, 2}, {2, 2, 2}, 5}, {{7, 5, 6}, {3, 1, 2}, 4}, {{9, 9, 9}, {3, 3, 3}, 13}};
  for (const auto& part : parts) {
    for (const Kernels* kernels : available_kernels()) {
      for (const int threads : {1, 3}) {
        const Case one(part.cube, part.grid, part.rank, *kernels, threads, threads == 1 ? 0.0 : 1e9);
        one.multiply();
        one.precondition();
      }
    }
  }
}

TEST(Kernels, UpdateVectors) {
  for (const Kernels* kernels : available_kernels()) {
    for (const std::int64_t n : {0, 8, 24, 120}) {
      auto u = numbers(n, 1);
      auto r = numbers(n, 2);
      auto p = numbers(n, 3);
      const auto q = numbers(n, 4);
      auto expected_u = u;
      auto expected_r = r;
      auto expected_p = p;
      for (std::int64_t i = 0; i < n; ++i) {
        expected_u[i] += 0.7 * p[i];
        expected_r[i] -= 0.7 * q[i];
        expected_p[i] = q[i] + 0.3 * p[i];
      }
      EXPECT_NEAR(kernels->advance(n, 0.7, p.data(), q.data(), u.data(), r.data()), dot(expected_r, expected_r), 1e-13);
      kernels->direct(n, 0.3, q.data(), p.data());
      EXPECT_LE(difference(u, expected_u), 1e-15);
      EXPECT_LE(difference(r, expected_r), 1e-15);
      EXPECT_LE(difference(p, expected_p), 1e-15);
    }
  }
}

TEST(Schedule, SharesEveryStageInWholeChunks) {
  const Crs graph = graph_of(Domain({7, 9, 11}, {1, 1, 1}, 0));
  for (const Parts& threads : {Parts(1), Parts(2), Parts(5), Parts({3.0, 1.0})}) {
    const Ordering ordering = multicolour(graph, 8);
    const Schedule schedule(graph, ordering, threads);
    std::vector<int> seen(static_cast<std::size_t>(graph.rows));
    for (std::int64_t at = 0; at < schedule.stages; ++at) {
      const std::int64_t chunks = (ordering.start[at + 1] - ordering.start[at] + Schedule::chunk - 1) / Schedule::chunk;
      for (int thread = 0; thread < threads.count(); ++thread) {
        const std::int64_t share = threads.before(thread + 1, chunks) - threads.before(thread, chunks);
        EXPECT_EQ(schedule.end(thread, at) - schedule.begin(thread, at), share);
        for (auto row = 8 * schedule.begin(thread, at); row < 8 * schedule.end(thread, at); ++row) {
          const auto node = schedule.node[row];
          if (node < 0) continue;
          EXPECT_EQ(schedule.row[node], row);
          EXPECT_EQ(schedule.stage[node], at);
          ++seen[node];
        }
      }
    }
    EXPECT_EQ(seen, std::vector<int>(seen.size(), 1));
  }
}

// Because rows are sorted by their number of neighbours, little padding is needed.
TEST(Matrix, StoresFewBlocksMoreThanThereAre) {
  const Domain domain({24, 24, 24}, {1, 1, 1}, 0);
  const Crs graph = graph_of(domain);
  const Schedule schedule(graph, multicolour(graph, 8), 2);
  EXPECT_LE(Matrix(domain, schedule, 8).fill(), 1.02);
  EXPECT_LE(Matrix(domain, schedule, 1).fill(), 1.001);
}

TEST(Matrix, StaysInACacheThatHoldsAllOfIt) {
  const Domain domain({6, 6, 6}, {1, 1, 1}, 0);
  const Schedule schedule(graph_of(domain), multicolour(graph_of(domain), 8), 1);
  // 16^3 blocks of 76 bytes; besides, factors of the diagonal, and what pads chunks.
  constexpr double bytes = 16 * 16 * 16 * 76.0;
  for (const int width : {1, 8}) {
    EXPECT_FALSE(Matrix(domain, schedule, width).rows().upper.cached);
    EXPECT_FALSE(Matrix(domain, schedule, width, bytes).rows().upper.cached);
    EXPECT_TRUE(Matrix(domain, schedule, width, 1.5 * bytes).rows().upper.cached);
  }
}

}  // namespace
}  // namespace banzuke::geofem
