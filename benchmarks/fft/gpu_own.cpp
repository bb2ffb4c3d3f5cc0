#include "gpu_own.hpp"

#include <algorithm>
#include <span>

#include "core/fft/roots.hpp"
#include "core/parameters.hpp"
#include "fft.hpp"

namespace banzuke::fft {
namespace {

// Of one pass: whether it is one of its own kernel, and how much longer than it must be.
double cost(const std::vector<std::int64_t>& lengths) {
  constexpr double without_kernel = 3.0;
  double sum = 0.0;
  for (const std::int64_t length : lengths) sum += has_kernel(length) ? 1.0 : without_kernel;
  // The last two of three are joined where they are equal; the fewer numbers they have together, the better.
  const double apart = lengths.size() == 3 && lengths[1] != lengths[2] ? 0.5 : 0.0;
  return sum + apart + 1e-5 * static_cast<double>(std::ranges::max(lengths));
}

gpu::DeviceBuffer<Complex> on_device(const std::vector<Complex>& values, const gpu::Stream& stream) {
  gpu::DeviceBuffer<Complex> buffer(values.size());
  gpu::upload(buffer, std::span<const Complex>(values), stream);
  return buffer;
}

// Of each stage but the first, of radix r after `done`: exp(-2 pi i q j / (r done)) for 0 < q < r and 0 <= j < done.
std::vector<Complex> factors_of(std::int64_t length, int variant) {
  std::vector<Complex> factors;
  std::int64_t done = 1;
  for (const int radix : radices_of(length, variant)) {
    for (std::int64_t q = 1; q < radix && done > 1; ++q) {
      for (std::int64_t j = 0; j < done; ++j) factors.push_back(root(q * j, radix * done));
    }
    done *= radix;
  }
  if (factors.empty()) factors.push_back({1.0, 0.0});
  return factors;
}

bool joins(std::int64_t length) { return length >= 256 && length <= 512 && has_kernel(length); }

// The largest divisor of n that is not above, and at least 1.
std::int64_t divisor(std::int64_t n, std::int64_t most) {
  std::int64_t found = std::min(n, most);
  while (n % found != 0) --found;
  return found;
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
  std::vector<std::int64_t> best;
  const auto offer = [&](const std::vector<std::int64_t>& lengths) {
    if (best.empty() || cost(lengths) < cost(best)) best = lengths;
  };
  for (std::int64_t a = longest_pass; a > 1; --a) {
    if (n % a != 0) continue;
    if (n / a <= a) offer({a, n / a});
    for (std::int64_t b = std::min(a, longest_pass); b > 1; --b) {
      if (n / a % b == 0 && n / a / b <= b && n / a / b > 1) offer({a, b, n / a / b});
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

OwnFft::OwnFft(std::int64_t n, std::int64_t dimensions, const gpu::Stream& stream, const Choice& choice)
    : stream_(stream),
      choice_(choice),
      lengths_(choice.lengths.empty() ? own_lengths(n, dimensions) : choice.lengths),
      cube_(dimensions == 3) {
  if (cube_) {
    plan_cube();
    if (choice.chunk > 0 && joins(lengths_.front())) join_cube();
  } else {
    plan_line();
    const bool alike = lengths_.size() == 3 && lengths_[1] == lengths_[2];
    if (choice.chunk > 0 && alike && joins(lengths_[1])) join_line();
  }
}

// With n = n1 n2 n3: over j1, in rows of n2 n3 numbers; over j2 for each k1; and over j3 for each k1 and k2, which
// stores in natural order. Of two lengths there is no n2, of one neither n1.
void OwnFft::plan_line() {
  const std::int64_t last = lengths_.back();
  std::int64_t before = 1;  // lengths transformed, and what is left
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

// Over the numbers that lie one after another, over lines, and over planes.
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
  pass.variant = choice_.variant;
  factors_.push_back(on_device(factors_of(pass.length, choice_.variant), stream_));
  pass.factors = factors_.back().data();
  if (pass.turned) {
    const std::int64_t n = pass.length * pass.columns;
    while (std::int64_t{1} << (2 * pass.shift) < n) ++pass.shift;
    const std::int64_t step = std::int64_t{1} << pass.shift;
    std::vector<Complex> coarse;
    std::vector<Complex> fine;
    for (std::int64_t i = 0; i < n; i += step) coarse.push_back(root(i, n));
    for (std::int64_t i = 0; i < step; ++i) fine.push_back(root(i, n));
    roots_.push_back(on_device(coarse, stream_));
    pass.coarse = roots_.back().data();
    roots_.push_back(on_device(fine, stream_));
    pass.fine = roots_.back().data();
  }
  passes_.push_back(pass);
}

// Chunks of k1: the second pass has some of them, and so has the third for all k2.
void OwnFft::join_line() {
  const std::int64_t each = lengths_[1] * lengths_[2];
  const std::int64_t k1s =
      divisor(lengths_[0], std::max(columns_of_block(lengths_[2], choice_.variant), choice_.chunk / each));
  DevicePipeline joined{
      .first = passes_[1], .second = passes_[2], .chunks = lengths_[0] / k1s, .chunk = k1s * each, .next_output = k1s};
  joined.first.outers = k1s;
  joined.second.columns = k1s;
  join(joined);
}

// Chunks of planes.
void OwnFft::join_cube() {
  const std::int64_t edge = lengths_[0];
  const std::int64_t planes = divisor(edge, std::max<std::int64_t>(1, choice_.chunk / (edge * edge)));
  const std::int64_t size = planes * edge * edge;
  DevicePipeline joined{
      .first = passes_[0], .second = passes_[1], .chunks = edge / planes, .chunk = size, .next_output = size};
  joined.first.columns = planes * edge;
  joined.second.outers = planes;
  join(joined);
}

void OwnFft::join(const DevicePipeline& pipeline) {
  joined_ = pipeline;
  between_.emplace(static_cast<std::size_t>(DevicePipeline::rooms * pipeline.chunk));
  counters_.emplace(static_cast<std::size_t>(1 + 2 * pipeline.chunks));
  joined_->between = between_->data();
  joined_->first.to = between_->data();
  joined_->second.from = between_->data();
  joined_->counters = counters_->data();
}

void OwnFft::forward(gpu::DevicePointer<Complex> in, gpu::DevicePointer<Complex> out) const {
  const auto pass = [&](std::size_t i) {
    DevicePass one = passes_[i];
    one.from = cube_ && i > 0 ? out : in;
    one.to = cube_ || i + 1 == passes_.size() ? out : in;
    launch(one, stream_);
  };
  if (!joined_) {
    for (std::size_t i = 0; i < passes_.size(); ++i) pass(i);
    return;
  }
  DevicePipeline joined = *joined_;
  joined.first.from = in;
  joined.second.to = out;
  if (!cube_) pass(0);
  launch(joined, stream_);
  if (cube_) pass(2);
}

std::string OwnFft::method() const {
  std::string said = "passes of";
  for (std::size_t i = 0; i < lengths_.size(); ++i) {
    said += (i == 0 ? " " : i + 1 < lengths_.size() ? ", " : " and ") + std::to_string(lengths_[i]);
  }
  return said;
}

}  // namespace banzuke::fft
