// GeoFEM-Cube on a device: CUDA, HIP, and the emulated device of the tests. The host queues the kernels, and the
// scalars stay on the device. It queues the preconditioning of the next iteration before it reads the residual of the
// current one.

#include <algorithm>
#include <cmath>
#include <deque>
#include <iterator>
#include <utility>

#include "core/clock.hpp"
#include "core/gpu/choose.hpp"
#include "core/gpu/timing.hpp"
#include "core/subcommunicator.hpp"
#include "geofem.hpp"
#include "gpu_matrix.hpp"
#include "matrix.hpp"

namespace banzuke::geofem {

using gpu::Scalar;
using gpu::Sum;
using gpu::sum_blocks;

const std::vector<std::string>& formats() {
  static const std::vector<std::string> names{"sell"};
  return names;
}

Problem memory(const Params& params, double nodes) {
  constexpr double block = 76.0;
  constexpr double fill = 1.03;
  // Bytes per node: 26 blocks, the diagonal and its factors, five vectors, three tables of the ordering.
  const double kept = 26.0 * block * fill + 2.0 * 72.0 + 5.0 * 24.0 + 12.0 + (params.sweeps > 1 ? 48.0 : 0.0);
  // Rows that pad each stage to whole chunks; RCM has the most stages.
  const double stages = params.ordering == "rcm" ? static_cast<double>(params.nx + 2 * params.ny + 4 * params.nz)
                                                 : static_cast<double>(params.colours + 1);
  const double filling = static_cast<double>(chunk_rows) * std::min(stages, nodes);
  constexpr double stencils = 1e6;
  // Bytes per node on the host: the graph, the ordering, the schedule and the keys that sort it, the solution.
  constexpr double on_host = 26.0 * 4.0 + 8.0 + 48.0 + 24.0;
  return {.footprint = gpu::host_footprint + nodes * on_host, .device_footprint = stencils + (nodes + filling) * kept};
}

namespace {

Schedule plan(const Domain& domain, const Params& params) {
  const Crs graph = graph_of(domain);
  return {graph, order(graph, params.ordering, params.colours), 1, chunk_rows};
}

}  // namespace

struct Cube::Impl {
  Impl(const Params& asked, const Communicator& all, int colour)
      : params(asked),
        ranks(all, colour, all.rank(), asked.messages == "device"),
        domain(domain_of(asked, ranks.rank())),
        device(gpu::use_given()),
        schedule(plan(domain, asked)),
        matrix(ranks, domain, schedule, device, stream),
        n(3 * matrix.rows()),
        sums(static_cast<std::size_t>(std::max(matrix.most_sums(), sum_blocks(n)))) {
    clear(sums);
    clear(scalars);
  }

  void clear(gpu::DeviceBuffer<double>& vector) const { gpu::set_bytes(vector.data(), 0, vector.size(), stream); }

  // Each queues one part of an iteration.
  void start();
  void finish(std::int64_t blocks, Sum sum);
  void precondition();
  void step();
  void lap(Part part);
  Outcome read_laps(std::int64_t iterations) const;

  Params params;
  SubCommunicator ranks;
  Domain domain;
  gpu::DeviceInfo device;
  gpu::Stream stream;
  Schedule schedule;
  DeviceMatrix matrix;
  std::int64_t n;  // this rank's elements of a vector

  gpu::DeviceBuffer<double> vector(bool needed = true) const {
    gpu::DeviceBuffer<double> out(needed ? static_cast<std::size_t>(matrix.elements()) : 0);
    clear(out);
    return out;
  }
  gpu::DeviceBuffer<double> u = vector(), r = vector(), z = vector(), p = vector(), q = vector();
  // For the sweeps after the first: the remaining right-hand side, and the correction.
  gpu::DeviceBuffer<double> rest = vector(params.sweeps > 1), more = vector(params.sweeps > 1);
  gpu::DeviceBuffer<double> sums;
  gpu::DeviceBuffer<double> scalars{Scalar::count};
  gpu::PinnedBuffer<double> squares{1};  // |r|^2
  gpu::PinnedBuffer<double> part{1};     // this rank's part of a sum
  gpu::Event arrived;                    // `squares` has been copied to the host

  // A part of an iteration that ends at the event in `moments` of the same index, and the seconds of it that were spent
  // on reductions over the ranks.
  struct Lap {
    Part part;
    double allreduce;
  };
  std::deque<gpu::Event> moments;
  std::vector<Lap> laps;
  double allreduce = 0.0;
  bool first = true;  // the next iteration is the first
};

void Cube::Impl::lap(Part part) {
  laps.push_back({part, std::exchange(allreduce, 0.0)});
  if (moments.size() < laps.size()) moments.emplace_back();
  moments[laps.size() - 1].record(stream);
}

// Adds up the laps of the iterations that counted; the preconditioning queued after the last one has laps too.
Outcome Cube::Impl::read_laps(std::int64_t iterations) const {
  Outcome out;
  for (std::size_t i = 1; i < laps.size() && std::ssize(out.iterations) <= iterations; ++i) {
    if (laps[i].part == Part::precondition) out.iterations.emplace_back();
    if (std::ssize(out.iterations) > iterations) break;
    auto& seconds = out.iterations.back();
    seconds[static_cast<std::size_t>(laps[i].part)] += moments[i].seconds_since(moments[i - 1]) - laps[i].allreduce;
    seconds[static_cast<std::size_t>(Part::allreduce)] += laps[i].allreduce;
  }
  out.iterations.resize(static_cast<std::size_t>(iterations));
  return out;
}

// Adds up the sums of thread blocks over all ranks, and computes the scalars of CG that follow from the result.
void Cube::Impl::finish(std::int64_t blocks, Sum sum) {
  if (ranks.size() > 1) {
    launch_blocks(stream, 1, gpu::Finish{Sum::part, blocks, sums.data(), scalars.data()});
    gpu::copy(part.data(), scalars.data() + Scalar::part, 1, stream);
    stream.wait();
    const double begun = now();
    ranks.sum(part.span());
    allreduce += now() - begun;
    gpu::copy(sums.data(), part.data(), 1, stream);
    blocks = 1;
  }
  launch_blocks(stream, 1, gpu::Finish{sum, blocks, sums.data(), scalars.data()});
  if (sum != Sum::rr) return;
  gpu::copy(squares.data(), scalars.data() + Scalar::rr, 1, stream);
  arrived.record(stream);
}

// u = 0, r = b
void Cube::Impl::start() {
  for (auto* vector : {&u, &z, &p, &q}) clear(*vector);
  launch_blocks(stream, sum_blocks(matrix.rows()),
                gpu::Summed<LoadValue>{matrix.rows(), {matrix.assembling(), r.data()}, sums.data()});
  finish(sum_blocks(matrix.rows()), Sum::rr);
  first = true;
  laps.clear();
}

// Computes z = M^-1 r and r.z.
void Cube::Impl::precondition() {
  std::int64_t blocks = matrix.sweep(r.data(), z.data(), sums.data());
  for (std::int64_t again = 1; again < params.sweeps; ++again) {
    matrix.multiply(z.data(), rest.data(), sums.data());
    launch_elements(stream, n, Remainder{r.data(), rest.data()});
    matrix.sweep(rest.data(), more.data(), sums.data());
    blocks = sum_blocks(n);
    launch_blocks(stream, blocks, gpu::Summed<CorrectedValue>{n, {r.data(), more.data(), z.data()}, sums.data()});
  }
  finish(blocks, std::exchange(first, false) ? Sum::first_rz : Sum::rz);
  lap(Part::precondition);
}

// Queues the rest of an iteration.
void Cube::Impl::step() {
  launch_elements(stream, n, gpu::Direction{scalars.data(), z.data(), p.data()});
  lap(Part::vectors);
  finish(matrix.multiply(p.data(), q.data(), sums.data()), Sum::pap);
  lap(Part::spmv);
  launch_blocks(stream, sum_blocks(n),
                gpu::Summed<gpu::StepValue>{n, {scalars.data(), p.data(), q.data(), u.data(), r.data()}, sums.data()});
  finish(sum_blocks(n), Sum::rr);
  lap(Part::vectors);
}

// A device loads a kernel at its first launch, so one iteration runs before any that counts.
Cube::Cube(const Params& params, const Communicator& ranks, int colour)
    : impl_(make_hidden<Impl>(params, ranks, colour)) {
  solve(1);
}

Outcome Cube::solve(std::int64_t most, const std::function<void(std::int64_t, double)>& progress) {
  auto& s = *impl_;
  s.start();
  s.stream.wait();
  const double norm = s.squares.span()[0];
  double none = 0.0;
  s.ranks.sum({&none, 1});  // all begin at once
  const double begun = now();
  std::int64_t iterations = 0;
  double residual = 1.0;
  s.lap(Part::vectors);  // marks the beginning
  if (most > 0) s.precondition();
  while (residual > tolerance && iterations < most) {
    s.step();
    // This belongs to the next iteration. It does not change the solution, so it does no harm if this iteration was the
    // last, and the device need not wait for the host.
    if (iterations + 1 < most) s.precondition();
    s.arrived.wait();
    ++iterations;
    residual = std::sqrt(s.squares.span()[0] / norm);
    if (progress) progress(iterations, residual);
  }
  const double seconds = now() - begun;
  s.stream.wait();
  Outcome out = s.read_laps(iterations);
  out.seconds = seconds;
  out.residual = residual;
  return out;
}

std::vector<double> Cube::solution() {
  auto& s = *impl_;
  s.matrix.exchange(s.u.data());
  std::vector<double> u(s.u.size());
  gpu::download(std::span(u), s.u, s.stream);
  std::vector<double> out;
  out.reserve(static_cast<std::size_t>(3 * (s.domain.own() + s.domain.external())));
  for (const auto row : s.schedule.row) {
    for (std::int64_t i = 0; i < 3; ++i) out.push_back(u[static_cast<std::size_t>(place_of_row(row) + i * apart)]);
  }
  out.insert(out.end(), u.begin() + s.n, u.end());
  return out;
}

const Domain& Cube::domain() const { return impl_->domain; }

std::int64_t Cube::stages() const { return impl_->schedule.stages; }

double Cube::fill() const { return impl_->matrix.fill(); }

std::string Cube::kernels() const { return gpu::platform(); }

Json::Object Cube::conditions() const {
  return {{"device", impl_->device.name}, {"l2_cache", static_cast<std::int64_t>(impl_->device.l2_cache)}};
}

std::vector<Verification> Cube::checks() const { return gpu::clock_checks(impl_->stream); }

}  // namespace banzuke::geofem
