// Runs the solver on every grid of the ranks that the launcher started, also with uneven parts and parts of one node.
// Exit status 1 if something is wrong; rank 0 names the case.
#include <omp.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>

#include "deal.hpp"
#include "geofem.hpp"
#include "reference.hpp"
#include "testing.hpp"

namespace banzuke::geofem {
namespace {

class Cases {
 public:
  explicit Cases(const Communicator& ranks) : ranks_(ranks) {}

  // Returns the number of iterations.
  double solve(const Params& params) {
    Cube cube(params, ranks_);
    const Outcome outcome = cube.solve(most_iterations(params));
    auto u = cube.solution();
    expect(outcome.residual <= tolerance, "convergence", params);
    expect(error(cube.domain(), u, ranks_) <= error_tolerance, "solution", params);
    expect(residual(cube.domain(), u, ranks_) <= residual_tolerance, "residual", params);
    expect(wrong_owners(cube.domain(), ranks_) == 0.0, "owners", params);
    const auto iterations = static_cast<double>(outcome.iterations.size());
    expect(ranks_.maximum(iterations) == -ranks_.maximum(-iterations), "equal iterations", params);
    // All ranks see an error of the last one.
    if (ranks_.rank() == ranks_.size() - 1) u[3 * cube.domain().own() - 1] += 1e-3;
    expect(error(cube.domain(), u, ranks_) > error_tolerance, "a wrong solution seen", params);
    expect(residual(cube.domain(), u, ranks_) > residual_tolerance, "a wrong residual seen", params);
    return iterations;
  }

  // Solves with unequal shares, which change the solution only by rounding and the iterations only a little.
  void deal(const Params& equal, const std::string& shares) {
    Params unequal = equal;
    unequal.deal = shares;
    if (formats().size() > 1) multiply(unequal);
    expect(work(unequal).counted == work(equal).counted, "equal flops", unequal);
    expect(solve(unequal) <= 1.25 * solve(equal), "iterations", unequal);
  }

  // Checks that messages between device memories change no bit of the solution.
  void send_from_devices(Params params) {
    const auto solution = [&] {
      Cube cube(params, ranks_);
      cube.solve(3);
      return cube.solution();
    };
    const auto by_host = solution();
    params.messages = "device";
    expect(solution() == by_host, "equal solutions by messages from device memory", params);
  }

  // Checks that a share which no rank has, or two have, is seen.
  void lose() {
    const Params params = complete({.nx = 4, .ny = 4, .nz = 60, .px = 1, .py = 1, .pz = ranks_.size()}, ranks_.size());
    const Domain right = domain_of(params, ranks_.rank());
    expect(wrong_owners(right, ranks_) == 0.0, "right owners", params);
    for (const std::int64_t by : {-1, 1}) {  // the last rank's share begins too early, or too late
      Layers layers = layers_of(params);
      if (ranks_.rank() == ranks_.size() - 1) layers.strips.back().begin += by;
      const Domain wrong(nodes_of(params), grid_of(params), ranks_.rank(), layers);
      expect(wrong_owners(wrong, ranks_) == 16.0, "wrong owners seen", params);
    }
  }

  // Checks the rates of ranks which solve cubes of their own, with a part that is smaller than the cube.
  void measure(Params params) {
    params.deal = "rates";
    params = complete(params, ranks_.size());
    const Params asked = params;
    const Sharing sharing = share(params, ranks_);
    const auto layers = static_cast<std::size_t>(std::ranges::max(grid_of(params)));
    expect(sharing.rates.size() == layers && sharing.shares.size() == layers, "a rate for each layer", params);
    expect(std::ranges::min(sharing.rates) > 0.0 && sharing.sum >= std::ranges::max(sharing.rates), "rates", params);
    expect(params.deal != asked.deal && grid_of(params) == grid_of(asked), "shares by rates", params);
    solve(params);
  }

  // Checks work(): all blocks of A are multiplied, but those between ranks are not in the preconditioner.
  void multiply(const Params& params) {
    const Domain domain = domain_of(params, ranks_.rank());
    const Assembly assembly(domain);
    std::array<double, 2> blocks{};
    for (std::int64_t node = 0; node < domain.own(); ++node) {
      const Row row = assembly.row(node);
      blocks[0] += row.size;
      for (int i = 0; i < row.size; ++i) {
        if (row.node[i] < domain.own() && i != row.diagonal) blocks[1] += 1.0;
      }
    }
    ranks_.sum(blocks);
    const auto nodes = static_cast<double>(params.nx * params.ny * params.nz);
    expect(work(params).counted == 18.0 * (blocks[0] + blocks[1]) + 66.0 * nodes, "flops", params);
  }

  int failed() const { return failed_; }

 private:
  // Reports a failure on all ranks if `holds` is false on any.
  void expect(bool holds, const char* what, const Params& p) {
    if (ranks_.maximum(holds ? 0.0 : 1.0) == 0.0) return;
    ++failed_;
    if (ranks_.rank() != 0) return;
    std::printf("FAILED %s; %lld x %lld x %lld nodes on %lld x %lld x %lld ranks, %s, %s, %lld sweeps, %d threads\n",
                what, static_cast<long long>(p.nx), static_cast<long long>(p.ny), static_cast<long long>(p.nz),
                static_cast<long long>(p.px), static_cast<long long>(p.py), static_cast<long long>(p.pz),
                p.ordering.c_str(), p.format.c_str(), static_cast<long long>(p.sweeps), omp_get_max_threads());
  }

  const Communicator& ranks_;
  int failed_ = 0;
};

void run(const Communicator& ranks, Cases& cases) {
  const std::array<std::string, 3> orderings{"mc", "rcm", "cm-rcm"};
  std::size_t turn = 0;
  for (std::int64_t x = 1; x <= ranks.size(); ++x) {
    for (std::int64_t y = 1; y <= ranks.size() / x; ++y) {
      if (ranks.size() % (x * y) != 0) continue;
      const std::int64_t z = ranks.size() / x / y;
      // On devices the messages are the same in rotated grids, so these are tested only on processors.
      if (formats().size() == 1 && (x < y || y < z)) continue;
      // Uneven parts, some of one node.
      const Params params{.nx = std::max<std::int64_t>(2, x),
                          .ny = y + 1,
                          .nz = z + 3,
                          .px = x,
                          .py = y,
                          .pz = z,
                          .ordering = orderings[turn % 3],
                          .colours = 8,
                          .format = formats()[turn % formats().size()]};
      omp_set_num_threads(ranks.size() <= 2 ? 2 : 1);
      cases.solve(params);
      if (formats().size() > 1) cases.multiply(params);  // only on the host
      ++turn;
    }
  }
  omp_set_num_threads(1);
  if (ranks.size() > 1) {
    std::string shares = "3";
    for (int layer = 1; layer < ranks.size(); ++layer) shares += layer % 2 == 0 ? ":2" : ":1";
    cases.deal({.nx = 4, .ny = 5, .nz = 20, .px = 1, .py = 1, .pz = ranks.size()}, shares);
    cases.deal({.nx = 20, .ny = 4, .nz = 5, .px = ranks.size(), .py = 1, .pz = 1, .format = formats().back()}, shares);
    if (ranks.size() == 4) cases.deal({.nx = 5, .ny = 12, .nz = 4, .px = 2, .py = 2, .pz = 1}, "1:5");
    cases.lose();
    const bool on_devices = formats().size() == 1;
    if (on_devices) cases.send_from_devices(complete({.nx = 7, .ny = 6, .nz = 8}, ranks.size()));
    cases.measure({.nx = 4, .ny = 5, .nz = 20});
  }
  for (const std::string& format : formats()) {
    for (const std::int64_t sweeps : {1, 2}) {
      cases.solve(complete({.nx = 7, .ny = 6, .nz = 8, .format = format, .sweeps = sweeps}, ranks.size()));
    }
  }
}

}  // namespace
}  // namespace banzuke::geofem

int main(int argc, char** argv) {
  const banzuke::Communicator ranks(argc, argv);
  try {
    banzuke::geofem::Cases cases(ranks);
    banzuke::geofem::run(ranks, cases);
    return cases.failed() == 0 ? 0 : 1;
  } catch (const std::exception& error) {  // the other ranks wait for this one
    std::fprintf(stderr, "rank %d: %s\n", ranks.rank(), error.what());
    ranks.abort(1);
  }
}
