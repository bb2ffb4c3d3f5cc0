#include "phases.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <string>

#include "core/array.hpp"
#include "core/clock.hpp"
#include "core/random.hpp"

namespace banzuke::hpcg {
namespace {

constexpr double official_seconds = 1800.0;
constexpr std::int64_t most_iterations = 500;

// Returns the seconds that `action` takes on the slowest rank.
template <class Do>
double timed_by_all(const Communicator& ranks, const Do& action) {
  ranks.barrier();
  const double start = now();
  action();
  return ranks.maximum(now() - start);
}

// Adds up pieces, so that the rounding error of the sum stays far below the asymmetry that is looked for.
double dot(const Communicator& ranks, const std::vector<double>& x, const std::vector<double>& y) {
  const auto piece = static_cast<std::size_t>(std::sqrt(static_cast<double>(x.size()))) + 1;
  double sum = 0.0;
  for (std::size_t first = 0; first < x.size(); first += piece) {
    const std::size_t end = std::min(x.size(), first + piece);
    double part = 0.0;
    for (std::size_t i = first; i < end; ++i) part += x[i] * y[i];
    sum += part;
  }
  ranks.sum({&sum, 1});
  return sum;
}

Asymmetry asymmetry(const Communicator& ranks, const std::vector<double>& x, const std::vector<double>& y,
                    const std::vector<double>& ax, const std::vector<double>& ay) {
  constexpr double norm = 2 * 26.0;  // bound of the norm of A
  const double difference = std::abs(dot(ranks, x, ay) - dot(ranks, y, ax));
  const double xx = dot(ranks, x, x);
  const double yy = dot(ranks, y, y);
  const double scale = 2.0 * norm * std::numeric_limits<double>::epsilon();
  return {.official = difference / (scale * xx * yy), .by_norms = difference / (scale * std::sqrt(xx * yy))};
}

Tests run_tests(Solver& solver, const Grid& grid, const std::vector<double>& b, const Communicator& ranks) {
  Tests out;
  // The diagonal dominates and has few different values, so that the number of iterations follows from algebra alone.
  std::vector<double> factors(b.size(), 1e6);
  if (ranks.rank() == 0) {
    // The first nine points of the whole grid are along x in this rank's box, whose sides are at least 16.
    for (std::size_t row = 0; row < 9; ++row) factors[row] = static_cast<double>(row + 2) * 1e6;
  }
  std::vector<double> right(b.size());
  std::ranges::transform(b, factors, right.begin(), std::multiplies<>());
  std::vector<double> diagonal(b.size(), 26.0);
  std::vector<double> scaled(b.size());
  std::ranges::transform(diagonal, factors, scaled.begin(), std::multiplies<>());
  solver.replace(scaled, right);
  out.plain = solver.solve(reference_iterations, 1e-12, false).iterations;
  out.preconditioned = solver.solve(reference_iterations, 1e-12).iterations;
  solver.replace(diagonal, b);

  std::vector<double> x(b.size());
  std::vector<double> y(b.size());
  const double largest = ranks.maximum(static_cast<double>(grid.points()));
  const auto first = static_cast<std::uint64_t>(ranks.rank()) * static_cast<std::uint64_t>(largest);
#pragma omp parallel for schedule(static)
  for (std::size_t row = 0; row < b.size(); ++row) {
    x[row] = uniform(0, first + row) + 0.5;
    y[row] = uniform(1, first + row) + 0.5;
  }
  out.spmv = asymmetry(ranks, x, y, solver.product(x), solver.product(y));
  out.mg = asymmetry(ranks, x, y, solver.precondition(x), solver.precondition(y));
  return out;
}

}  // namespace

double Outcome::timed() const { return std::accumulate(set_seconds.begin(), set_seconds.end(), 0.0); }

double Outcome::mean() const {
  return std::accumulate(reductions.begin(), reductions.end(), 0.0) / static_cast<double>(reductions.size());
}

double Outcome::variance() const {
  const double middle = mean();
  double sum = 0.0;
  for (const double one : reductions) sum += (one - middle) * (one - middle);
  return sum / static_cast<double>(reductions.size());
}

Outcome run_phases(const Params& params, const Grid& grid, const Context& context) {
  const Communicator& ranks = context.ranks;
  const SubCommunicator all(ranks, 0, ranks.rank(), params.messages == "device");
  Outcome out;

  start_backend(all);
  std::unique_ptr<Plain> plain;
  out.setup_seconds = timed_by_all(ranks, [&] { plain = std::make_unique<Plain>(all, grid); });
  const std::vector<double> b = plain->right_side();

  // The official code makes ten calls; a short run makes one.
  const int calls = params.seconds >= official_seconds ? 10 : 1;
  out.reference_calls_seconds = timed_by_all(ranks, [&] { plain->call(calls); }) / calls;
  out.reference_seconds = timed_by_all(ranks, [&] {
    out.reference = plain->solve(reference_iterations, [&](std::int64_t iteration) {
      Context::step("reference iteration " + std::to_string(iteration) + " of " + std::to_string(reference_iterations));
    });
  });
  out.reference_error = ranks.maximum(plain->error());

  std::unique_ptr<Solver> solver;
  out.optimization_seconds =
      timed_by_all(ranks, [&] { solver = std::make_unique<Solver>(all, *plain, params.ordering); });
  plain.reset();
  out.stages = solver->stages();
  out.matrix_bytes = solver->matrix_bytes();
  out.memory_bytes = solver->memory_bytes();
  out.kernels = solver->kernels();
  out.conditions = solver->conditions();
  out.checks = solver->checks();

  Context::step("tests");
  out.tests = run_tests(*solver, grid, b, ranks);

  const double target = out.reference.reduction() * (1.0 + 1e-6);
  const double once = timed_by_all(ranks, [&] { out.optimised = solver->solve(most_iterations, target); });
  out.error = ranks.maximum(largest_error(solver->solution()));
  out.iterations = std::max(out.optimised.iterations, out.reference.iterations);

  const Watch watch;
  double timed = 0.0;
  do {
    Context::step("set " + std::to_string(out.set_seconds.size() + 1));
    Convergence found;
    out.set_seconds.push_back(timed_by_all(ranks, [&] { found = solver->solve(out.iterations, 0.0); }));
    out.reductions.push_back(found.reduction());
    out.profiles.push_back(solver->profile().seconds());
    timed += out.set_seconds.back();
    const auto done = static_cast<std::int64_t>(out.set_seconds.size());
    const auto left = static_cast<std::int64_t>(std::ceil(std::max(0.0, params.seconds - timed) / once));
    context.progress(done, done + left, flops(grid.whole(), out.iterations).total() / out.set_seconds.back(), "flop/s");
  } while (timed < params.seconds);
  out.disturbance = watch.conditions();
  out.huge_pages = huge_page_fraction();
  return out;
}

}  // namespace banzuke::hpcg
