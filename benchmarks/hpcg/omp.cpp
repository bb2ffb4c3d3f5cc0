#include <omp.h>

#include <cmath>
#include <deque>
#include <utility>

#include "level.hpp"
#include "solver.hpp"

namespace banzuke::hpcg {
namespace {

constexpr std::size_t cache_line = 64;

using Vector = std::unique_ptr<Array<double>>;

}  // namespace

const std::vector<std::string>& orderings() {
  static const std::vector<std::string> names{"levels", "colours"};
  return names;
}

// Slots whose columns follow each other have no offsets; the others have two bytes more.
double entry_bytes() { return 8.0 + 4.0 / lanes; }

Problem memory(const Params& params, int /*ranks*/) {
  if (params.messages != "host") {
    throw UsageError("messages: the processors send from their own memory", {}, "messages");
  }
  // Bytes per point of the finest level: the matrices of the reference and of the optimised code with vectors and
  // lists, times 8/7 for all levels.
  constexpr double reference = 27 * 12 + 8 + 3 * 8 + 4;
  constexpr double optimised = 1.05 * 27 * 10.5 + 6 * 8 + 4 * 4 + 27 * 10.5 / 8.0;
  constexpr double finest = 6 * 8 + 90;  // vectors, and temporary memory while one part of the matrix is stored
  return {.footprint = params.points() * ((reference + optimised) * 8.0 / 7.0 + finest)};
}

struct Plain::Impl {
  Impl(const SubCommunicator& ranks, const Grid& grid)
      : reference(ranks, grid), b(hpcg::right_side(reference.matrix(0))) {}

  Reference reference;
  std::vector<double> b;
  std::vector<double> x{};
};

Plain::Plain(const SubCommunicator& ranks, const Grid& grid) : impl_(make_hidden<Impl>(ranks, grid)) {}

std::vector<double> Plain::right_side() const { return impl_->b; }

void Plain::call(int times) {
  std::vector<double> x(static_cast<std::size_t>(impl_->reference.matrix(0).a.columns), 1.0);
  std::vector<double> y(x.size());
  for (int call = 0; call < times; ++call) {
    impl_->reference.product(x, y);
    impl_->reference.precondition(y, x);
  }
}

Convergence Plain::solve(std::int64_t iterations, const std::function<void(std::int64_t)>& report) {
  return impl_->reference.solve(impl_->b, impl_->x, iterations, 0.0, report);
}

double Plain::error() const { return largest_error(std::span(impl_->x).first(impl_->b.size())); }

struct Solver::Impl {
  Impl(const SubCommunicator& all, const Reference& reference, const std::vector<double>& right,
       const std::string& ordering)
      : ranks(all), team(omp_get_max_threads()), partial(static_cast<std::size_t>(team.threads)) {
    for (int level = 0; level < levels; ++level) {
      parts.emplace_back(ranks, reference.matrix(level), ordering, team);
      rights.push_back(vector(parts.back()));
      answers.push_back(vector(parts.back()));
      if (level == 0) continue;
      transitions.emplace_back(parts[level - 1], reference.matrix(level - 1), parts[level], reference.fine(level),
                               team);
    }
    for (auto* one : {&b, &x, &p, &ap}) *one = vector(parts[0]);
    place(right, *b);
  }

  // Makes a vector of a level; each part is touched first by the thread that owns it.
  Vector vector(const Level& level) {
    // Vectors that are used together begin in different cache sets.
    auto out = std::make_unique<Array<double>>(static_cast<std::size_t>(level.size()), skew += 5 * cache_line);
#pragma omp parallel for schedule(static, 1)
    for (int thread = 0; thread < team.threads; ++thread) {
      const auto [from, to] = level.places(thread);
      for (std::int64_t i = from; i < to; ++i) (*out)[i] = 0.0;
    }
    return out;
  }

  void place(const std::vector<double>& rows, Array<double>& to) const {
    for (std::size_t row = 0; row < rows.size(); ++row) to[parts[0].place_of(row)] = rows[row];
  }
  std::vector<double> by_row(const Array<double>& from) const {
    std::vector<double> rows(parts[0].layout().place.size());
    for (std::size_t row = 0; row < rows.size(); ++row) rows[row] = from[parts[0].place_of(row)];
    return rows;
  }

  void precondition(int thread, std::size_t level, const double* r, double* z) {
    if (level + 1 == parts.size()) {
      parts[level].smooth_from_zero(thread, r, z);
      return;
    }
    parts[level].smooth_from_zero(thread, r, z);
    double* right = rights[level + 1]->data();
    double* answer = answers[level + 1]->data();
    transitions[level].restrict_residual(thread, r, z, right);
    precondition(thread, level + 1, right, answer);
    transitions[level].correct_and_smooth(thread, r, answer, z);
  }

  // Returns the sum over all threads and ranks, the same on all. The time of thread 0 since its last lap is added to
  // `part`.
  double sum(int thread, double own, Part part) {
    partial[static_cast<std::size_t>(thread)].value = own;
    team.barrier.wait();
    if (thread == 0) {
      team.profile.lap(part);
      total = 0.0;
      for (const auto& one : partial) total += one.value;
      ranks.sum({&total, 1});
      team.profile.lap(Part::allreduce);
    }
    team.barrier.wait();
    return total;
  }

  Convergence solve(int thread, std::int64_t iterations, double reduction, bool preconditioned) {
    const Kernels& kernels = team.kernels;
    const auto [from, to] = parts[0].places(thread);
    double* r = rights[0]->data();
    double* z = preconditioned ? answers[0]->data() : r;
    const auto dot = [&, begin = from, end = to](const double* left, const double* right) {
      return sum(thread, kernels.dot(begin, end, left, right), Part::dot);
    };
    const auto lap = [&](Part part) {
      if (thread == 0) team.profile.lap(part);
    };
    if (thread == 0) team.profile.begin();
    // x = 0 and p = x; A p is computed although it is 0, as in the official code.
    for (std::int64_t i = from; i < to; ++i) (*x)[i] = (*p)[i] = 0.0;
    lap(Part::waxpby);
    team.barrier.wait();
    parts[0].multiply(thread, p->data(), ap->data());
    lap(Part::spmv);
    for (std::int64_t i = from; i < to; ++i) r[i] = (*b)[i] - (*ap)[i];
    lap(Part::waxpby);
    Convergence out;
    out.first = out.last = std::sqrt(dot(r, r));
    double rz = 0.0;
    while (out.iterations < iterations && !(out.reduction() <= reduction)) {
      if (preconditioned) precondition(thread, 0, r, z);
      lap(Part::mg);
      const double before = std::exchange(rz, dot(r, z));
      kernels.scale_add(from, to, out.iterations == 0 ? 0.0 : rz / before, z, p->data());
      lap(Part::waxpby);
      team.barrier.wait();
      parts[0].multiply(thread, p->data(), ap->data());
      lap(Part::spmv);
      const double alpha = rz / dot(p->data(), ap->data());
      kernels.step(from, to, alpha, p->data(), ap->data(), x->data(), r);
      lap(Part::waxpby);
      out.last = std::sqrt(dot(r, r));
      ++out.iterations;
    }
    return out;
  }

  struct alignas(64) Partial {
    double value = 0.0;
  };

  const SubCommunicator& ranks;
  Team team;
  std::deque<Level> parts;
  std::deque<Transition> transitions;
  std::vector<Vector> rights;  // right-hand side of each level; on the finest, CG's residual
  std::vector<Vector> answers;
  Vector b;
  Vector x;
  Vector p;
  Vector ap;
  std::vector<Partial> partial;
  double total = 0.0;
  std::size_t skew = 0;
};

void start_backend(const SubCommunicator& /*ranks*/) {}

Solver::Solver(const SubCommunicator& ranks, const Plain& plain, const std::string& ordering)
    : impl_(make_hidden<Impl>(ranks, plain.impl().reference, plain.impl().b, ordering)) {}

Convergence Solver::solve(std::int64_t iterations, double reduction, bool preconditioned) {
  Convergence out;
#pragma omp parallel num_threads(impl_->team.threads)
  {
    const int thread = omp_get_thread_num();
    const Convergence mine = impl_->solve(thread, iterations, reduction, preconditioned);
    if (thread == 0) out = mine;
  }
  return out;
}

const Profile& Solver::profile() const { return impl_->team.profile; }

std::vector<double> Solver::solution() const { return impl_->by_row(*impl_->x); }

void Solver::replace(const std::vector<double>& diagonal, const std::vector<double>& b) {
  for (std::size_t row = 0; row < diagonal.size(); ++row) {
    impl_->parts[0].diagonal(static_cast<std::int64_t>(row)) = diagonal[row];
  }
  impl_->place(b, *impl_->b);
}

std::vector<double> Solver::product(const std::vector<double>& x) {
  impl_->place(x, *impl_->p);
#pragma omp parallel num_threads(impl_->team.threads)
  impl_->parts[0].multiply(omp_get_thread_num(), impl_->p->data(), impl_->ap->data());
  return impl_->by_row(*impl_->ap);
}

std::vector<double> Solver::precondition(const std::vector<double>& r) {
  impl_->place(r, *impl_->rights[0]);
#pragma omp parallel num_threads(impl_->team.threads)
  impl_->precondition(omp_get_thread_num(), 0, impl_->rights[0]->data(), impl_->answers[0]->data());
  return impl_->by_row(*impl_->answers[0]);
}

std::int64_t Solver::stages() const { return impl_->parts[0].layout().stages(); }

double Solver::matrix_bytes() const {
  double bytes = 0.0;
  for (const auto& part : impl_->parts) bytes += part.bytes();
  for (const auto& transition : impl_->transitions) bytes += transition.bytes();
  return bytes;
}

double Solver::memory_bytes() const {
  double bytes = matrix_bytes();
  for (const auto& part : impl_->parts) {
    constexpr double lists = 3 * sizeof(std::int32_t);  // stage, row and place
    bytes += static_cast<double>(part.size()) * (2 * sizeof(double) + lists);
  }
  constexpr double finest = 4 * sizeof(double);
  return bytes + static_cast<double>(impl_->parts[0].size()) * finest;
}

std::string Solver::kernels() const { return impl_->team.kernels.name; }

Json::Object Solver::conditions() const { return {}; }

std::vector<Verification> Solver::checks() const { return {}; }

}  // namespace banzuke::hpcg
