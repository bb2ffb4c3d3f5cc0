#include "bench_gpu_passes.hpp"

#include <string>
#include <utility>
#include <vector>

#include "core/gpu/beside.hpp"
#include "core/gpu/choose.hpp"
#include "core/gpu/timing.hpp"
#include "core/paired.hpp"
#include "gpu_launches.hpp"

namespace banzuke::fft {
namespace {

constexpr std::int64_t most = std::int64_t{1} << 26U;

// Returns passes over an array's first index, its last, and one in between, and the last pass of a 1-D transform.
std::vector<std::pair<std::string, DevicePass>> passes_of(std::int64_t length, std::int64_t n) {
  const std::int64_t rest = n / length;
  const std::int64_t lines = rest / length;
  const Layout through{.column = 1, .step = rest};
  const Layout across{.outer = length * length, .column = 1, .step = length};
  const Layout along{.column = length, .step = 1};
  const Layout spread{.outer = length, .column = 1, .step = rest};
  const DevicePass turned{.length = length, .columns = rest, .in = through, .out = through, .turned = true};
  DevicePass computed = turned;
  computed.computed = can_compute_roots(turned);
  return {{"through, turned", turned},
          {computed.computed ? "through, turned by computed roots" : "through, turned again", computed},
          {"through", {.length = length, .columns = rest, .in = through, .out = through}},
          {"across", {.length = length, .outers = lines, .columns = length, .in = across, .out = across}},
          {"along", {.length = length, .columns = rest, .in = along, .out = along}},
          {"along and spread",
           {.length = length,
            .outers = lines,
            .columns = length,
            .in = {.outer = length, .column = rest, .step = 1},
            .out = spread}}};
}

}  // namespace

bool compare_passes(int turns) {
  gpu::use_given();
  const gpu::Stream stream;
  const gpu::Timer timer(stream);
  gpu::DeviceBuffer<Complex> from(most);
  gpu::DeviceBuffer<Complex> to(most);
  // Roots are read from wherever the indices say; their values do not matter to the time.
  gpu::DeviceBuffer<Complex> roots(std::size_t{1} << 14U);
  launch_fill(roots.data(), static_cast<std::int64_t>(roots.size()), stream);
  launch_fill(from.data(), most, stream);
  constexpr double bytes = 32.0;  // of a number
  for (const std::int64_t length : {128, 256, 384, 512, 1024}) {
    const std::int64_t n = most / (length * length) * (length * length);
    for (auto& [name, pass] : passes_of(length, n)) {
      pass.from = from.data();
      pass.to = to.data();
      pass.factors = pass.coarse = pass.fine = roots.data();
      pass.shift = 13;
      const std::vector<TimedWay> ways{{"pass",
                                        [&] {
                                          timer.start();
                                          launch(pass, stream);
                                          return timer.stop();
                                        }},
                                       {"copy", [&] {
                                          timer.start();
                                          gpu::copy(to.data(), from.data(), static_cast<std::size_t>(n), stream);
                                          return timer.stop();
                                        }}};
      const auto seconds = take_turns(ways, turns);
      gpu::tell(gpu::pair_of("FFT pass of " + std::to_string(length) + ", " + name, "a copy", seconds[0], seconds[1],
                             bytes * static_cast<double>(n), "B/s"));
    }
  }
  return true;
}

}  // namespace banzuke::fft
