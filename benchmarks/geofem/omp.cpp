#include <omp.h>

#include <cmath>
#include <iterator>
#include <utility>

#include "assembly.hpp"
#include "core/array.hpp"
#include "core/binding.hpp"
#include "core/caches.hpp"
#include "core/clock.hpp"
#include "core/halo.hpp"
#include "core/subcommunicator.hpp"
#include "core/thread_rates.hpp"
#include "geofem.hpp"
#include "kernel_choice.hpp"
#include "matrix.hpp"
#include "schedule.hpp"

namespace banzuke::geofem {

const std::vector<std::string>& formats() {
  static const std::vector<std::string> names{"blocked", "crs"};
  return names;
}

Problem memory(const Params& params, double nodes) {
  if (params.messages != "host") {
    throw UsageError("messages: the processors send from their own memory", {}, "messages");
  }
  constexpr double block = 76.0;
  constexpr double fill = 1.03;
  // Bytes per node: 27 blocks, the diagonal's factors, five vectors, the schedule; and, while the schedule is made, the
  // graph and the ordering.
  const double kept = 27.0 * block * fill + 72.0 + 5.0 * 24.0 + 12.0;
  constexpr double passing = 26.0 * 4.0 + 8.0 + 24.0;
  return {.footprint = nodes * (kept + passing + (params.sweeps > 1 ? 48.0 : 0.0))};
}

namespace {

Schedule plan(const Domain& domain, const Params& params, const Parts& threads) {
  const Crs graph = graph_of(domain);
  return {graph, order(graph, params.ordering, params.colours), threads};
}

// The share of the last cache that the threads of this rank have if all its processors compute; 0 if it is unknown.
double cache_of(int threads) {
  const std::vector<DataCache> caches = caches_of(allowed_cpus().front());
  if (caches.empty()) return 0.0;
  return static_cast<double>(caches.back().bytes) * threads / static_cast<double>(caches.back().shared_by.size());
}

std::vector<Halo::Neighbour> by_row(std::vector<Halo::Neighbour> neighbours, const Schedule& schedule) {
  for (auto& neighbour : neighbours) {
    for (auto& node : neighbour.send) node = schedule.row[node];
  }
  return neighbours;
}

}  // namespace

struct Cube::Impl {
  Impl(const Params& given, const Communicator& all, int colour)
      : params(given),
        ranks(all, colour, all.rank()),
        domain(domain_of(given, ranks.rank())),
        threads(omp_get_max_threads()),
        schedule(plan(domain, given, team_parts(threads))),
        kernels(widest_kernels(given.format)),
        matrix(domain, schedule, kernels.width, cache_of(threads)),
        rows(matrix.rows()),
        outer(matrix.outer()),
        halo(ranks, by_row(domain.neighbours(), schedule), schedule.rows(), 3),
        barrier(threads),
        partial(threads) {}

  // One number per thread, each in its own cache line.
  struct alignas(64) Partial {
    double value = 0.0;
  };

  std::pair<std::int64_t, std::int64_t> chunks(int thread, std::int64_t stage) const {
    return {schedule.begin(thread, stage) * scale, schedule.end(thread, stage) * scale};
  }

  // The parts of an iteration. All threads call them; only the first thread communicates and measures time.
  void lap(int thread, Part part);
  double sum(int thread, double mine, Part part);
  void start(int thread);
  double multiply(int thread, double* x, double* y, Part part);
  double sweep(int thread, const double* right, double* left);
  double precondition(int thread);
  void iterate(int thread, const std::function<void(std::int64_t, double)>& progress);

  Params params;
  SubCommunicator ranks;
  Domain domain;
  int threads;
  Schedule schedule;
  const Kernels& kernels;
  std::int64_t scale = Schedule::chunk / kernels.width;  // chunks of the kernels in one chunk of the schedule
  Matrix matrix;
  Rows rows;
  Outer outer;
  Halo halo;
  Barrier barrier;
  std::vector<Partial> partial;
  double total = 0.0;

  // Makes a vector: the values of this rank's nodes, those of external nodes, and one more number.
  Array<double> vector(int place) const {
    const auto size = 3 * (schedule.rows() + domain.external()) + 1;
    return Array<double>(static_cast<std::size_t>(size), static_cast<std::size_t>(place) * 17 * 64);
  }
  Array<double> u = vector(0), r = vector(1), z = vector(2), p = vector(3), q = vector(4);
  // For the sweeps after the first: the remaining right-hand side, and the correction.
  Array<double> rest = Array<double>(params.sweeps > 1 ? r.size() : 0);
  Array<double> more = Array<double>(params.sweeps > 1 ? r.size() : 0);

  Outcome outcome;
  double last = 0.0;
  double rho = 0.0;
  double norm = 0.0;  // |b|^2
};

void Cube::Impl::lap(int thread, Part part) {
  if (thread != 0) return;
  const double time = now();
  outcome.iterations.back()[static_cast<std::size_t>(part)] += time - last;
  last = time;
}

// Returns the sum of `mine` over all threads and ranks; the time since the last lap is added to `part`.
double Cube::Impl::sum(int thread, double mine, Part part) {
  partial[thread].value = mine;
  barrier.wait();
  if (thread == 0) {
    total = 0.0;
    for (const auto& one : partial) total += one.value;
    lap(thread, part);
    if (ranks.size() > 1) ranks.sum({&total, 1});
    lap(thread, Part::allreduce);
  }
  barrier.wait();
  return total;
}

// u = 0, r = b
void Cube::Impl::start(int thread) {
  double squares = 0.0;
  for (auto row = Schedule::chunk * schedule.begin(thread); row < Schedule::chunk * schedule.end(thread); ++row) {
    const auto node = schedule.node[row];
    const auto b = node < 0 ? std::array<double, 3>{} : load(domain.whole(), domain.position(node));
    for (int i = 0; i < 3; ++i) {
      for (Array<double>* zero : {&u, &z, &p, &q}) (*zero)[3 * row + i] = 0.0;
      r[3 * row + i] = b[i];
      squares += b[i] * b[i];
    }
  }
  norm = sum(thread, squares, Part::vectors);
}

// y = A x; returns this thread's part of x.y. The messages travel while the columns of this rank's own nodes are
// multiplied.
double Cube::Impl::multiply(int thread, double* x, double* y, Part part) {
  barrier.wait();
  const bool messages = domain.external() > 0;
  if (messages && thread == 0) {
    lap(thread, part);
    halo.start(x);
    lap(thread, Part::halo_wait);
  }
  double dot = kernels.multiply(rows, schedule.begin(thread) * scale, schedule.end(thread) * scale, x, y);
  if (!messages) return dot;
  lap(thread, part);
  if (thread == 0) halo.finish();
  barrier.wait();
  lap(thread, Part::halo_wait);
  const auto [begin, end] = share(0, matrix.outer_chunks(), thread, schedule.parts);
  dot += kernels.multiply_outer(outer, begin, end, x, y);
  return dot;
}

// left = M^-1 right; returns this thread's part of right.left.
double Cube::Impl::sweep(int thread, const double* right, double* left) {
  for (std::int64_t stage = 0; stage < schedule.stages; ++stage) {
    const auto [begin, end] = chunks(thread, stage);
    kernels.forward(rows, begin, end, right, left);
    barrier.wait();
  }
  double dot = 0.0;
  for (std::int64_t stage = schedule.stages; stage-- > 0;) {
    const auto [begin, end] = chunks(thread, stage);
    dot += kernels.backward(rows, begin, end, right, left);
    barrier.wait();
  }
  return dot;
}

// z = M^-1 r; returns this thread's part of r.z.
double Cube::Impl::precondition(int thread) {
  double dot = sweep(thread, r.data(), z.data());
  for (std::int64_t again = 1; again < params.sweeps; ++again) {
    multiply(thread, z.data(), rest.data(), Part::precondition);
    barrier.wait();
    const auto begin = 3 * Schedule::chunk * schedule.begin(thread);
    const auto end = 3 * Schedule::chunk * schedule.end(thread);
    for (auto i = begin; i < end; ++i) rest[i] = r[i] - rest[i];
    sweep(thread, rest.data(), more.data());
    dot = 0.0;
    for (auto i = begin; i < end; ++i) {
      z[i] += more[i];
      dot += r[i] * z[i];
    }
  }
  return dot;
}

void Cube::Impl::iterate(int thread, const std::function<void(std::int64_t, double)>& progress) {
  const auto begin = 3 * Schedule::chunk * schedule.begin(thread);
  const auto count = 3 * Schedule::chunk * schedule.end(thread) - begin;
  const double before = rho;
  const double dot = sum(thread, precondition(thread), Part::precondition);
  const double beta = before > 0.0 ? dot / before : 0.0;
  kernels.direct(count, beta, z.data() + begin, p.data() + begin);
  lap(thread, Part::vectors);
  const double mine = multiply(thread, p.data(), q.data(), Part::spmv);
  const double curvature = sum(thread, mine, Part::spmv);
  const double squares =
      kernels.advance(count, dot / curvature, p.data() + begin, q.data() + begin, u.data() + begin, r.data() + begin);
  const double all = sum(thread, squares, Part::vectors);
  if (thread == 0) {
    rho = dot;
    outcome.residual = std::sqrt(all / norm);
    if (progress) progress(static_cast<std::int64_t>(outcome.iterations.size()), outcome.residual);
  }
}

Cube::Cube(const Params& params, const Communicator& ranks, int colour)
    : impl_(make_hidden<Impl>(params, ranks, colour)) {}

Outcome Cube::solve(std::int64_t most, const std::function<void(std::int64_t, double)>& progress) {
  auto& s = *impl_;
  s.outcome = {.seconds = 0.0, .iterations = {{}}, .residual = 1.0};  // room for the laps of the start
  s.rho = 0.0;
  double begun = 0.0;
  bool going = true;
#pragma omp parallel num_threads(s.threads)
  {
    const int thread = omp_get_thread_num();
    s.start(thread);
    if (thread == 0) {
      s.outcome.iterations.clear();
      double none = 0.0;
      s.ranks.sum({&none, 1});  // all begin at once
      s.last = begun = now();
    }
    while (true) {
      if (thread == 0) {
        going = s.outcome.residual > tolerance && std::ssize(s.outcome.iterations) < most;
        if (going) s.outcome.iterations.emplace_back();
      }
      s.barrier.wait();
      if (!going) break;
      s.iterate(thread, progress);
    }
  }
  s.outcome.seconds = now() - begun;
  return std::move(s.outcome);
}

std::vector<double> Cube::solution() {
  auto& s = *impl_;
  s.halo.exchange(s.u.data());
  std::vector<double> out;
  out.reserve(3 * (s.domain.own() + s.domain.external()));
  const auto add = [&](std::int64_t row) { out.insert(out.end(), s.u.data() + 3 * row, s.u.data() + 3 * row + 3); };
  for (const auto row : s.schedule.row) add(row);
  for (std::int64_t i = 0; i < s.domain.external(); ++i) add(s.schedule.rows() + i);
  return out;
}

const Domain& Cube::domain() const { return impl_->domain; }

std::int64_t Cube::stages() const { return impl_->schedule.stages; }

double Cube::fill() const { return impl_->matrix.fill(); }

std::string Cube::kernels() const { return impl_->kernels.name; }

Json::Object Cube::conditions() const { return {{"huge_page_fraction", huge_page_fraction()}}; }

std::vector<Verification> Cube::checks() const { return {}; }

}  // namespace banzuke::geofem
