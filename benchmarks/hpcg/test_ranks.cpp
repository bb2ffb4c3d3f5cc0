// Compares the optimised solver with the reference on all ranks that the launcher started, with several threads each.
// Exit status 1 if something is wrong; rank 0 names the case.
#include <omp.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/communicator.hpp"
#include "core/testing.hpp"
#include "reference.hpp"
#include "solver.hpp"
#include "testing.hpp"

namespace banzuke::hpcg {
namespace {

constexpr double rounding = 1e-12;

class Cases : public RankTests {
 public:
  explicit Cases(const Communicator& ranks) : RankTests(ranks), all_(ranks, 0, ranks.rank()) {}

  void run(const Params& params, int threads) {
    omp_set_num_threads(threads);
    name_ = std::to_string(params.nx) + " x " + std::to_string(params.ny) + " x " + std::to_string(params.nz) + ", " +
            params.ordering + ", threads " + std::to_string(threads) + ", ranks " + std::to_string(ranks_.size());
    const Grid grid(params, ranks_.rank(), ranks_.size());
    Reference reference(all_, grid);
    const auto b = right_side(reference.matrix(0));
    Solver solver(all_, Plain(all_, grid), params.ordering);

    const auto columns = static_cast<std::size_t>(reference.matrix(0).a.columns);
    auto x = random_values(grid.points(), 10U + static_cast<unsigned>(ranks_.rank()));
    const auto product = solver.product(x);
    const auto answer = solver.precondition(x);
    x.resize(columns);
    std::vector<double> plain(columns);
    reference.product(x, plain);
    expect_equal(product, plain, "product");
    reference.precondition(x, plain);
    const bool same_order = params.ordering == "levels";
    if (same_order) expect_equal(answer, plain, "V-cycle");

    const Convergence wanted = reference.solve(b, x, 12, 0.0);
    const Convergence found = solver.solve(50, wanted.reduction() * (1.0 + 1e-6));
    expect(found.iterations <= (same_order ? 12 : 14), "iterations");
    expect(std::abs(found.first - wanted.first) <= rounding * wanted.first, "first residual");
    const auto solution = solver.solution();
    expect(largest_error(solution) < 2.0 * largest_error({x.data(), b.size()}), "solution");

    // A large diagonal alone determines the solution, without and with the preconditioner.
    auto large = b;
    for (auto& one : large) one *= 1e9;
    solver.replace(std::vector<double>(b.size(), 26e9), large);
    expect(solver.solve(50, 1e-12, false).iterations <= 5, "scaled diagonal");
    expect(solver.solve(50, 1e-12).iterations <= 2, "scaled diagonal with the V-cycle");
  }

 private:
  void expect_equal(const std::vector<double>& got, const std::vector<double>& wanted, const char* what) {
    double largest = 0.0;
    double difference = 0.0;
    for (std::size_t row = 0; row < got.size(); ++row) {
      largest = std::max(largest, std::abs(wanted[row]));
      const double one = std::abs(got[row] - wanted[row]);
      if (one > difference || std::isnan(one)) difference = one;
      if (std::isnan(difference)) break;
    }
    expect(difference <= rounding * largest, what);
  }

  SubCommunicator all_;
};

int run(int argc, char** argv) {
  const Communicator ranks(argc, argv);
  Cases cases(ranks);
  for (const std::string& ordering : orderings()) {
    for (const int threads : {1, 3}) cases.run({.nx = 16, .ny = 16, .nz = 16, .ordering = ordering}, threads);
    cases.run({.nx = 16, .ny = 24, .nz = 16, .px = ranks.size(), .py = 1, .pz = 1, .ordering = ordering}, 2);
  }
  return cases.all_right() ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace banzuke::hpcg

int main(int argc, char** argv) { return banzuke::hpcg::run(argc, argv); }
