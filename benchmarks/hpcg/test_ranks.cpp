// Compares the optimised solver with the reference on all ranks that the launcher started, with several threads each.
// Exit status 1 if something is wrong; rank 0 names the case.
#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/communicator.hpp"
#include "core/testing.hpp"
#include "deal.hpp"
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
            params.ordering + ", " + params.deal + ", threads " + std::to_string(threads) + ", ranks " +
            std::to_string(ranks_.size());
    const Grid grid(params, ranks_.rank(), ranks_.size());
    check_levels(grid);
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

  // Checks that shares which are equal change no bit of the residuals.
  void share_equally(Params params) {
    name_ = "equal shares, ranks " + std::to_string(ranks_.size());
    const auto residual = [&] {
      const Grid grid(params, ranks_.rank(), ranks_.size());
      return Solver(all_, Plain(all_, grid), params.ordering).solve(20, 0.0).last;
    };
    const double equal = residual();
    params.deal = ratios(std::vector<int>(static_cast<std::size_t>(ranks_.size()), 7));
    expect(residual() == equal, "the residual");
  }

  // Checks that messages between device memories change no bit of the residuals, in neither version.
  void send_from_devices(const Params& params) {
    name_ = "messages from device memory, ranks " + std::to_string(ranks_.size());
    const auto residuals = [&](bool passes_device_memory) {
      const SubCommunicator all(ranks_, 0, ranks_.rank(), passes_device_memory);
      Plain plain(all, Grid(params, ranks_.rank(), ranks_.size()));
      const double reference = plain.solve(3, {}).last;
      return std::array{reference, Solver(all, plain, params.ordering).solve(3, 0.0).last};
    };
    expect(residuals(true) == residuals(false), "the residuals");
  }

  // Checks the rates of ranks that solve boxes of their own, and what follows from them.
  void measure(Params params) {
    name_ = "rates, ranks " + std::to_string(ranks_.size());
    problem(params, ranks_.size());
    const Params asked = params;
    const Sharing sharing = share_planes(params, ranks_);
    const auto layers = static_cast<std::size_t>(ranks_.size());
    expect(sharing.rates.size() == layers && sharing.shares.size() == layers, "a rate for each layer");
    expect(std::ranges::min(sharing.rates) > 0.0 && sharing.sum >= std::ranges::max(sharing.rates), "rates");
    expect(params.deal != asked.deal, "shares by rates");
    check_levels(Grid(params, ranks_.rank(), ranks_.size()));
  }

  // Returns the shares of the layers as a value of `deal`.
  static std::string ratios(const std::vector<int>& shares) {
    std::string out;
    for (const int share : shares) {
      if (!out.empty()) out += ':';
      out += std::to_string(share);
    }
    return out;
  }

 private:
  // Checks on all levels that each point has one rank, and that the ranks' matrices together are the stencil's: the
  // product with a vector that depends only on the points is what the stencil gives.
  void check_levels(Grid grid) {
    for (int level = 0; level < levels; ++level, grid = grid.coarser()) {
      const Domain domain = grid.domain();
      expect(wrong_owners(domain, ranks_) == 0.0, "owners");
      const Matrix matrix = make_matrix(grid);
      Halo halo(all_, matrix.neighbours, matrix.a.rows);
      std::vector<double> x(static_cast<std::size_t>(matrix.a.columns));
      std::vector<double> y(x.size());
      const auto at = [&](const Triple& point) {
        bool exists = true;
        for (std::size_t d = 0; d < 3; ++d) exists = exists && point[d] >= 0 && point[d] < domain.whole()[d];
        return exists ? static_cast<double>(point[0] + 100 * point[1] + 10'000 * point[2]) + 1.0 : 0.0;
      };
      for (std::int64_t row = 0; row < domain.own(); ++row) x[row] = at(domain.position(row));
      halo.exchange(x.data());
      multiply(matrix.a, x.data(), y.data());
      bool right = true;
      for (std::int64_t row = 0; row < domain.own(); ++row) {
        const Triple here = domain.position(row);
        double wanted = 27.0 * at(here);
        for (std::int64_t n = 0; n < 27; ++n) {
          wanted -= at({here[0] + n % 3 - 1, here[1] + n / 3 % 3 - 1, here[2] + n / 9 - 1});
        }
        right = right && y[row] == wanted;  // whole numbers
      }
      expect(right, "the stencil");
    }
  }

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
  omp_set_num_threads(1);
  const int size = ranks.size();
  std::vector<int> shares(static_cast<std::size_t>(size), 2);  // of a grid with a layer for each rank
  shares.front() = 3;
  shares.back() = 1;
  const std::string deal = Cases::ratios(shares);
  if (size == 2 || size == 5) cases.run({.nz = 32, .px = 1, .py = 1, .pz = size, .deal = deal}, 1);
  if (size == 3) cases.run({.nx = 32, .px = size, .py = 1, .pz = 1, .deal = deal}, 2);
  if (size == 4) cases.run({.ny = 32, .px = 2, .py = 2, .pz = 1, .deal = "3:1"}, 1);
  if (size == 6) cases.run({.ny = 32, .px = 2, .py = 3, .pz = 1, .deal = "1:2:3"}, 1);
  if (size == 2 || size == 3) cases.share_equally({.px = 1, .py = 1, .pz = size});
  const bool on_devices = memory({}, 1).device_footprint > 0.0;
  if (on_devices && size > 1) cases.send_from_devices({.px = 1, .py = 1, .pz = size});
  if (size == 2) cases.measure({.px = 1, .py = 1, .pz = size, .deal = "rates"});
  return cases.all_right() ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace banzuke::hpcg

int main(int argc, char** argv) { return banzuke::hpcg::run(argc, argv); }
