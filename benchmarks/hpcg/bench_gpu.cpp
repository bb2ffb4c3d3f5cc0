// Times the solver's kernels separately: the seconds of each and the least bytes that it moves, the parts of a V-cycle
// on every level, and the product compared with other implementations.
// Usage: bench-hpcg-cuda [EDGE [TURNS]]; EDGE: points of the box in each direction.
#include <cstdio>
#include <functional>
#include <string>

#include "bench_gpu_ways.hpp"
#include "core/gpu/beside.hpp"
#include "core/gpu/timing.hpp"
#include "core/paired.hpp"
#include "core/parameters.hpp"
#include "gpu_level.hpp"
#include "gpu_plain.hpp"

namespace {

using namespace banzuke;
using namespace banzuke::hpcg;

class Kernels {
 public:
  Kernels(const Communicator& ranks, int edge, int turns)
      : ranks_(ranks, 0, 0), turns_(turns), plain_(ranks_, Grid({.nx = edge, .ny = edge, .nz = edge}, 0, 1)) {}

  bool run() {
    bool all = true;
    for (std::size_t level = 0; level < plain_.levels.size(); ++level) all = of_level(level) && all;
    return all;
  }

 private:
  // `bytes`: those of the entries and vectors, each counted once.
  void tell(const std::string& name, double bytes, const std::function<void()>& queue) const {
    constexpr int calls = 5;
    const auto once = [&] {
      timer_.start();
      for (int call = 0; call < calls; ++call) queue();
      return timer_.stop() / calls;
    };
    once();
    std::vector<double> seconds(static_cast<std::size_t>(turns_));
    for (auto& one : seconds) one = once();
    const double typical = median(seconds);
    std::fprintf(stderr, "  %-40s %9.1f us %8.0f GB/s\n", name.c_str(), typical * 1e6, bytes / typical / 1e9);
    std::printf("%s\n", Json(Json::Object{{"kernel", name}, {"seconds", typical}, {"bytes", bytes}}).dump().c_str());
  }

  bool of_level(std::size_t which) {
    DeviceLevel level(ranks_, plain_.levels[which], plain_.device, stream_);
    const std::int64_t n = level.places();
    std::fprintf(stderr, "%lld rows\n", static_cast<long long>(plain_.levels[which].rows()));
    Cg cg(ranks_, n, level.external(), level.most_sums(), stream_);
    level.to_places(plain_.levels[which].b, cg.b());
    const double vector = 8.0 * static_cast<double>(n);
    // L has 13 of 26 entries, T 3.25. Rows of the last colour have all entries in L and none in T.
    const double all = entry_bytes() * level.entries();
    const double lower = all / 2.0;
    const double tail = all / 8.0;
    const auto name = [&](const char* of) { return "level " + std::to_string(which) + ", " + of; };
    tell(name("smoothing from zero"), all + 7 * vector, [&] { level.smooth_from_zero(cg.b(), cg.x()); });
    if (which + 1 < plain_.levels.size()) {
      const DeviceLevel coarse(ranks_, plain_.levels[which + 1], plain_.device, stream_);
      level.join(coarse, plain_.fine_rows[which]);
      gpu::DeviceBuffer<double> right(static_cast<std::size_t>(coarse.places()));
      gpu::set_bytes(right.data(), 0, right.size(), stream_);
      // Reads the last colour's rows, which have 26 entries in L instead of 13 on average.
      tell(name("restriction"), lower / 4.0 + 1.5 * vector,
           [&] { level.restrict_residual(cg.b(), cg.x(), right.data()); });
      tell(name("correction and smoothing"), all + tail + 9 * vector,
           [&] { level.correct_and_smooth(cg.b(), right.data(), cg.x()); });
    }
    tell(name("product"), all + 3 * vector, [&] { level.multiply(cg.b(), cg.ap(), cg.sums()); });
    if (which > 0) return true;
    for (const auto& way : product_ways()) {
      tell(name("product ") + way.name, all + 3 * vector, [&] { way.queue(stream_, level.view(), n, cg.b(), cg.p()); });
    }
    tell("dot product", 2 * vector, [&] { cg.dot(cg.b(), cg.r(), Sum::rr); });
    tell("p = z + beta p", 3 * vector, [&] { cg.direct(cg.z()); });
    tell("x += alpha p, r -= alpha A p, r.r", 6 * vector, [&] { cg.step(); });
    return true;
  }

  SubCommunicator ranks_;
  int turns_;
  Plain::Impl plain_;
  gpu::Stream stream_;
  gpu::Timer timer_{stream_};
};

}  // namespace

int main(int argc, char** argv) {
  const int edge = positive_argument(argc, argv, 1, 256);
  const int turns = positive_argument(argc, argv, 2, 7);
  const Communicator ranks(argc, argv);
  return gpu::run_beside([&] { return Kernels(ranks, edge, turns).run(); });
}
