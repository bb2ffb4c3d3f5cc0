// HPCG on a device: CUDA, HIP, and the emulated device of the tests.

#include <algorithm>
#include <string>
#include <utility>

#include "core/gpu/timing.hpp"
#include "gpu_level.hpp"
#include "gpu_plain.hpp"
#include "solver.hpp"

namespace banzuke::hpcg {

const std::vector<std::string>& orderings() {
  static const std::vector<std::string> names{"colours"};
  return names;
}

double entry_bytes() { return 8.0 + 2.0 + 4.0 / chunk_rows; }

namespace {

// Returns whether the columns of a slot lie within 2^16, as the storage requires: a row that lacks an entry takes the
// column of another row, which is of the same colour and up to a plane away.
bool suits(const Params& params) {
  constexpr std::int64_t reach = 65535;
  return (params.nx / 2) * (params.ny / 2) + params.nx / 2 + chunk_rows <= reach;
}

}  // namespace

Problem memory(const Params& params, int /*ranks*/) {
  constexpr std::int64_t most = 504;
  if (!suits(params)) {
    throw UsageError("nx, ny: a plane of " + std::to_string(params.nx) + " x " + std::to_string(params.ny) +
                         " points is too large for the storage on devices; more points can be had along z",
                     {{{"nx", std::min(params.nx, most)}, {"ny", std::min(params.ny, most)}}});
  }
  // Bytes per point: `plain` is the matrix in grid order with the reference's vectors and lists, `optimised` the matrix
  // for the sweeps with its vectors; both times 8/7 for all levels. `vectors` are those of CG, and `tests` those of the
  // tests, on the host.
  constexpr double plain = 27 * 12 + 8 + 4 + 2 * 8;
  constexpr double optimised = 1.05 * 26 * 10.2 + 5 * 8 + 2 * 4;
  constexpr double vectors = 2 * 6 * 8 + 2 * 8;
  constexpr double tests = 10 * 8;
  return {.footprint = gpu::host_footprint + params.points() * tests,
          .device_footprint = params.points() * ((plain + optimised) * 8.0 / 7.0 + vectors)};
}

struct Solver::Impl {
  explicit Impl(const Plain::Impl& plain) : device(plain.device), rows(plain.levels[0].b.size()) {
    for (const auto& level : plain.levels) {
      levels.emplace_back(plain.ranks, level, device, stream);
      const bool finest = levels.size() == 1;
      const std::size_t size = finest ? 0 : index(levels.back().places() + levels.back().external());
      for (auto* vectors : {&rights, &answers}) {
        vectors->emplace_back(size);
        gpu::set_bytes(vectors->back().data(), 0, size, stream);
      }
      if (!finest) levels[levels.size() - 2].join(levels.back(), plain.fine_rows[levels.size() - 2]);
    }
    cg = std::make_unique<Cg>(plain.ranks, levels[0].places(), levels[0].external(), levels[0].most_sums(), stream);
    levels[0].to_places(plain.levels[0].b, cg->b());
    stream.wait();
  }

  void precondition(std::size_t level, gpu::DevicePointer<double> r, gpu::DevicePointer<double> z) {
    levels[level].smooth_from_zero(r, z);
    if (level + 1 == levels.size()) return;
    const auto right = rights[level + 1].data();
    const auto answer = answers[level + 1].data();
    levels[level].restrict_residual(r, z, right);
    precondition(level + 1, right, answer);
    levels[level].correct_and_smooth(r, answer, z);
  }

  Method method(bool preconditioned) {
    Method out{.multiply = [this](auto x, auto y, auto sums) { return levels[0].multiply(x, y, sums); },
               .precondition = {}};
    if (preconditioned) out.precondition = [this](auto r, auto z) { precondition(0, r, z); };
    return out;
  }

  // Copies values, one for each row, to the device.
  gpu::DeviceBuffer<double> upload(const std::vector<double>& values) const {
    gpu::DeviceBuffer<double> out(values.size());
    gpu::upload(out, std::span<const double>(values), stream);
    return out;
  }
  std::vector<double> by_row(gpu::DevicePointer<double> places) const {
    gpu::DeviceBuffer<double> ordered(rows);
    levels[0].to_rows(places, ordered);
    std::vector<double> out(rows);
    gpu::download(std::span(out), ordered, stream);
    return out;
  }

  gpu::DeviceInfo device;
  gpu::Stream stream;
  std::size_t rows = 0;
  std::deque<DeviceLevel> levels;
  std::deque<gpu::DeviceBuffer<double>> rights;  // for each level from the second on
  std::deque<gpu::DeviceBuffer<double>> answers;
  std::unique_ptr<Cg> cg;
};

// A device loads a kernel at its first launch, so this launches all of them, on the smallest box.
void start_backend(const SubCommunicator& ranks) {
  const Grid smallest({.nx = 16, .ny = 16, .nz = 16}, ranks.rank(), ranks.size());
  Plain plain(ranks, smallest);
  plain.solve(1, {});
  Solver solver(ranks, plain, orderings().front());
  solver.replace(std::vector<double>(index(smallest.points()), 1.0), plain.right_side());
  solver.solve(1, 0.0);
  solver.solution();
}

Solver::Solver(const SubCommunicator& /*ranks*/, const Plain& plain, const std::string& /*ordering*/)
    : impl_(make_hidden<Impl>(plain.impl())) {}

Convergence Solver::solve(std::int64_t iterations, double reduction, bool preconditioned) {
  return impl_->cg->solve(impl_->method(preconditioned), iterations, reduction);
}

const Profile& Solver::profile() const { return impl_->cg->profile(); }

std::vector<double> Solver::solution() const { return impl_->by_row(impl_->cg->x()); }

void Solver::replace(const std::vector<double>& diagonal, const std::vector<double>& b) {
  impl_->levels[0].set_diagonal(impl_->upload(diagonal));
  impl_->levels[0].to_places(impl_->upload(b), impl_->cg->b());
  impl_->stream.wait();
}

std::vector<double> Solver::product(const std::vector<double>& x) {
  Cg& cg = *impl_->cg;
  impl_->levels[0].to_places(impl_->upload(x), cg.p());
  impl_->method(false).multiply(cg.p(), cg.ap(), cg.sums());
  return impl_->by_row(cg.ap());
}

std::vector<double> Solver::precondition(const std::vector<double>& r) {
  Cg& cg = *impl_->cg;
  impl_->levels[0].to_places(impl_->upload(r), cg.r());
  impl_->precondition(0, cg.r(), cg.z());
  return impl_->by_row(cg.z());
}

std::int64_t Solver::stages() const { return colour_count; }

double Solver::matrix_bytes() const {
  double bytes = 0.0;
  for (const auto& level : impl_->levels) bytes += level.bytes();
  return bytes;
}

double Solver::memory_bytes() const {
  double bytes = matrix_bytes() + impl_->cg->bytes();
  for (const auto* vectors : {&impl_->rights, &impl_->answers}) {
    for (const auto& one : *vectors) bytes += static_cast<double>(one.bytes());
  }
  return bytes;
}

std::string Solver::kernels() const { return gpu::platform(); }

Json::Object Solver::conditions() const {
  return {{"device", impl_->device.name}, {"l2_cache", static_cast<std::int64_t>(impl_->device.l2_cache)}};
}

std::vector<Verification> Solver::checks() const { return gpu::clock_checks(impl_->stream); }

}  // namespace banzuke::hpcg
