#include "gpu_own.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "core/fft/roots.hpp"
#include "core/gpu/timing.hpp"
#include "core/parameters.hpp"
#include "fft.hpp"

namespace banzuke::fft {
namespace {

// Returns the relative cost of passes of these lengths. The kernel that other lengths share is about three times as
// slow as one made for a length; a longer pass costs slightly more.
double cost(const std::vector<std::int64_t>& lengths) {
  constexpr double without_kernel = 3.0;
  constexpr double of_length = 1e-4;
  double sum = 0.0;
  for (const std::int64_t length : lengths) {
    sum += (has_kernel(length) ? 1.0 : without_kernel) + of_length * static_cast<double>(length);
  }
  return sum;
}

// Returns the twiddle factors exp(-2 pi i q j / (r done)), 0 < q < r and 0 <= j < done, for each stage but the first,
// where r is the stage's radix and `done` the product of the radices before it.
std::vector<Complex> factors_of(std::int64_t length, bool turned) {
  std::vector<Complex> factors;
  std::int64_t done = 1;
  for (const int radix : radices_of(length, turned)) {
    for (std::int64_t q = 1; q < radix && done > 1; ++q) {
      for (std::int64_t j = 0; j < done; ++j) factors.push_back(root(q * j, radix * done));
    }
    done *= radix;
  }
  if (factors.empty()) factors.push_back({1.0, 0.0});
  return factors;
}

}  // namespace

std::vector<std::int64_t> own_lengths(std::int64_t n, std::int64_t dimensions) {
  if (dimensions == 3) {
    const std::int64_t edge = edge_of(n);
    if (edge <= longest_pass) return {edge, edge, edge};
    throw UsageError("n: our own transforms are of cubes with an edge of " + std::to_string(longest_pass) +
                         " at most; transform=library takes this one",
                     {{{"n", longest_pass * longest_pass * longest_pass}}});
  }
  if (n <= longest_pass) return {n};
  // The longest pass comes last, because all others multiply their outputs by twiddle factors, which costs more in long
  // passes.
  std::vector<std::int64_t> best;
  const auto offer = [&](const std::vector<std::int64_t>& lengths) {
    if (best.empty() || cost(lengths) < cost(best)) best = lengths;
  };
  for (std::int64_t c = longest_pass; c > 1; --c) {
    if (n % c != 0) continue;
    if (n / c <= c) offer({n / c, c});
    for (std::int64_t b = c; b > 1; --b) {
      const std::int64_t a = n / c / b;
      if (a > 1 && a <= b && a * b * c == n) offer({a, b, c});
    }
  }
  if (best.empty()) {
    throw UsageError("n: " + std::to_string(n) + " is not the product of up to three lengths of " +
                         std::to_string(longest_pass) +
                         " at most, as our own transforms are; transform=library takes it",
                     {{{"n", longest_pass * longest_pass * longest_pass}}});
  }
  return best;
}

OwnFft::OwnFft(std::int64_t n, std::int64_t dimensions, const gpu::Stream& stream)
    : stream_(stream), lengths_(own_lengths(n, dimensions)), cube_(dimensions == 3) {
  if (cube_) {
    plan_cube();
  } else {
    plan_line();
  }
}

// Plans the passes for n = n1 n2 n3: over j1, in rows of n2 n3 numbers; over j2 for each k1; and over j3 for each k1
// and k2, which stores in natural order. With two lengths there is no n2, with one no n1 either.
void OwnFft::plan_line() {
  const std::int64_t last = lengths_.back();
  std::int64_t before = 1;  // product of the lengths already transformed; `left`: of the others
  std::int64_t left = 1;
  for (const std::int64_t length : lengths_) left *= length;
  for (std::size_t i = 0; i + 1 < lengths_.size(); ++i) {
    const std::int64_t length = lengths_[i];
    const std::int64_t columns = left / length;
    const Layout layout{.outer = left, .column = 1, .step = columns};
    add({.length = length, .outers = before, .columns = columns, .in = layout, .out = layout, .turned = true});
    before *= length;
    left = columns;
  }
  const std::int64_t first = lengths_.size() > 1 ? lengths_.front() : 1;
  const std::int64_t middle = before / first;
  add({.length = last,
       .outers = middle,
       .columns = first,
       .in = {.outer = last, .column = middle * last, .step = 1},
       .out = {.outer = first, .column = 1, .step = before}});
}

// Plans the three passes: along the contiguous dimension, across lines, and across planes.
void OwnFft::plan_cube() {
  const std::int64_t edge = lengths_.front();
  const std::int64_t plane = edge * edge;
  const Layout along{.column = edge, .step = 1};
  const Layout across{.outer = plane, .column = 1, .step = edge};
  const Layout through{.column = 1, .step = plane};
  add({.length = edge, .columns = plane, .in = along, .out = along});
  add({.length = edge, .outers = edge, .columns = edge, .in = across, .out = across});
  add({.length = edge, .columns = plane, .in = through, .out = through});
}

void OwnFft::add(DevicePass pass) {
  factors_.push_back(gpu::on_device(factors_of(pass.length, pass.turned), stream_));
  pass.factors = factors_.back().data();
  if (pass.turned) {
    const std::int64_t n = pass.length * pass.columns;
    while (std::int64_t{1} << (2 * pass.shift) < n) ++pass.shift;
    const std::int64_t step = std::int64_t{1} << pass.shift;
    std::vector<Complex> coarse;
    std::vector<Complex> fine;
    coarse.reserve(static_cast<std::size_t>((n + step - 1) / step));
    fine.reserve(static_cast<std::size_t>(step));
    for (std::int64_t i = 0; i < n; i += step) coarse.push_back(root(i, n));
    for (std::int64_t i = 0; i < step; ++i) fine.push_back(root(i, n));
    roots_.push_back(gpu::on_device(coarse, stream_));
    pass.coarse = roots_.back().data();
    roots_.push_back(gpu::on_device(fine, stream_));
    pass.fine = roots_.back().data();
  }
  passes_.push_back(pass);
}

void OwnFft::choose(gpu::DevicePointer<Complex> in) {
  constexpr int turns = 3;  // after a first one that may load the kernels
  const gpu::Timer timer(stream_);
  for (DevicePass& pass : passes_) {
    if (!can_compute_roots(pass)) continue;
    DevicePass tried = pass;
    tried.from = tried.to = in;
    std::array<double, 2> least{};
    least.fill(std::numeric_limits<double>::infinity());
    for (int turn = 0; turn <= turns; ++turn) {
      for (const bool computed : {false, true}) {
        tried.computed = computed;
        const double seconds = timer.seconds([&] { launch(tried, stream_); });
        double& best = least[computed ? 1 : 0];
        if (turn > 0) best = std::min(best, seconds);
      }
    }
    pass.computed = least[1] < least[0];
  }
}

void OwnFft::use_computed(bool computed) {
  for (DevicePass& pass : passes_) pass.computed = computed && can_compute_roots(pass);
}

std::int64_t OwnFft::computed() const { return std::ranges::count_if(passes_, &DevicePass::computed); }

void OwnFft::forward(gpu::DevicePointer<Complex> in, gpu::DevicePointer<Complex> out) const {
  for (std::size_t i = 0; i < passes_.size(); ++i) {
    DevicePass pass = passes_[i];
    pass.from = cube_ && i > 0 ? out : in;
    pass.to = cube_ || i + 1 == passes_.size() ? out : in;
    launch(pass, stream_);
  }
}

std::string OwnFft::method() const {
  std::string said = "passes of";
  for (std::size_t i = 0; i < lengths_.size(); ++i) {
    said += (i == 0 ? " " : i + 1 < lengths_.size() ? ", " : " and ") + std::to_string(lengths_[i]);
  }
  return said;
}

}  // namespace banzuke::fft
