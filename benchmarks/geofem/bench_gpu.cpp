// Compares the solver's iterations on a device with loads alone, in turn: the share of the rate of loads that an
// iteration, the product and the preconditioner reach, with the bytes that work() counts as loads. Usage:
// bench-geofem-cuda [TURNS [EDGE]]
//   EDGE: nodes along each edge of the cube
#include <string>
#include <vector>

#include "bench_gpu_loads.hpp"
#include "core/gpu/beside.hpp"
#include "core/gpu/choose.hpp"
#include "core/gpu/conjugate.hpp"
#include "core/gpu/timing.hpp"
#include "core/paired.hpp"
#include "core/parameters.hpp"
#include "geofem.hpp"

namespace {

using namespace banzuke;
using namespace banzuke::geofem;

class Loads {
 public:
  explicit Loads(std::int64_t elements)
      : x_(static_cast<std::size_t>(elements)), sums_(static_cast<std::size_t>(gpu::sum_blocks(elements))) {
    gpu::set_bytes(x_.data(), 0, x_.size(), stream_);
    seconds();
  }

  double bytes() const { return static_cast<double>(x_.bytes()); }
  double seconds() {
    constexpr int calls = 5;
    timer_.start();
    for (int call = 0; call < calls; ++call) launch_loads(stream_, x_, sums_);
    return timer_.stop() / calls;
  }

 private:
  gpu::DeviceBuffer<double> x_;
  gpu::DeviceBuffer<double> sums_;
  gpu::Stream stream_;
  gpu::Timer timer_{stream_};
};

// Bytes loaded by an iteration, by the product and by the preconditioner.
struct Amounts {
  explicit Amounts(const Params& params) {
    const Work all = work(params);
    iteration = demanded(all, "memory.loads");
    const auto nodes = static_cast<double>(params.nx * params.ny * params.nz);
    constexpr double block = 76.0;
    constexpr double diagonal = 72.0;
    constexpr double vector = 24.0;
    // Derived from the flops: 18 for each block of A and of the preconditioner, which lacks the diagonal blocks.
    const double blocks = ((all.counted - 66.0 * nodes) / 18.0 + nodes) / 2.0;
    product = block * (blocks - nodes) + (diagonal + vector) * nodes;
    preconditioner = block * (blocks - nodes) + (2.0 * diagonal + 3.0 * vector) * nodes;
  }

  double iteration = 0.0;
  double product = 0.0;
  double preconditioner = 0.0;
};

void compare(const Params& params, Loads& loads, int turns, const Communicator& ranks) {
  constexpr std::int64_t iterations = 20;
  Cube cube(params, ranks);
  const Amounts amounts(params);
  std::vector<double> reading, iteration, product, preconditioner;  // seconds per byte
  for (int turn = 0; turn < turns; ++turn) {
    reading.push_back(loads.seconds() / loads.bytes());
    const Outcome outcome = cube.solve(iterations);
    const auto number = static_cast<double>(outcome.iterations.size());
    double in_product = 0.0;
    double in_preconditioner = 0.0;
    for (const auto& parts : outcome.iterations) {
      in_product += parts[static_cast<std::size_t>(Part::spmv)];
      in_preconditioner += parts[static_cast<std::size_t>(Part::precondition)];
    }
    iteration.push_back(outcome.seconds / (number * amounts.iteration));
    product.push_back(in_product / (number * amounts.product));
    preconditioner.push_back(in_preconditioner / (number * amounts.preconditioner));
  }
  const std::string name =
      std::to_string(params.nx) + "^3 nodes, " + params.ordering + " of " + std::to_string(cube.stages()) + " colours";
  const auto tell = [&](const std::string& part, const std::vector<double>& seconds, const std::string& goal) {
    gpu::tell(gpu::pair_of(part + ", " + name, "loads alone", seconds, reading, 1.0, "B/s"), goal);
  };
  tell("an iteration", iteration, params.ordering == Params{}.ordering ? "geofem" : "");
  tell("product", product, "");
  tell("preconditioner", preconditioner, "");
}

}  // namespace

int main(int argc, char** argv) {
  const int turns = positive_argument(argc, argv, 1, 7);
  const int edge = positive_argument(argc, argv, 2, 128);
  const Communicator ranks(argc, argv);
  return gpu::run_beside([&] {
    gpu::use_given();
    Loads loads(std::int64_t{60} * edge * edge * edge);
    for (const std::string ordering : {"cm-rcm", "mc"}) {
      compare(complete({.nx = edge, .ny = edge, .nz = edge, .ordering = ordering}, 1), loads, turns, ranks);
    }
    return true;
  });
}
