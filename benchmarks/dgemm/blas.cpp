#include "core/blas.hpp"

#include <utility>

#include "core/array.hpp"
#include "core/clock.hpp"
#include "core/random.hpp"
#include "dgemm.hpp"
#include "split.hpp"

namespace banzuke::dgemm {
namespace {

// In parallel, because a matrix of many gigabytes is filled, and so that its pages spread over the threads' nodes.
void fill(Array<double>& matrix, std::uint64_t number) {
  const auto size = static_cast<std::int64_t>(matrix.size());
  double* data = matrix.data();
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < size; ++i) data[i] = uniform(number, static_cast<std::uint64_t>(i));
}

}  // namespace

Problem problem(const Params& params, int ranks) {
  if (params.split == "none") return {.footprint = footprint(params)};
  check_split(params, ranks);
  return {.footprint = footprint(params) / ranks};
}

struct Dgemm::Impl {
  Impl(Params params, const std::vector<std::vector<int>>& places)
      : p(std::move(params)),
        blas(Blas::chosen(), places),
        a(static_cast<std::size_t>(p.m * p.k)),
        b(static_cast<std::size_t>(p.k * p.n)),
        c(static_cast<std::size_t>(p.m * p.n)) {
    fill(a, matrix_a);
    fill(b, matrix_b);
    fill(c, matrix_c);
  }

  Params p;
  Blas blas;
  Array<double> a, b, c;
};

Dgemm::Dgemm(const Params& params, const std::vector<std::vector<int>>& places)
    : impl_(make_hidden<Impl>(params, places)) {}

void Dgemm::reset() { fill(impl_->c, matrix_c); }

double Dgemm::run() {
  const double start = now();
  const auto m = static_cast<int>(impl_->p.m);
  const auto n = static_cast<int>(impl_->p.n);
  const auto k = static_cast<int>(impl_->p.k);
  impl_->blas.dgemm(m, n, k, impl_->p.alpha, impl_->a.data(), m, impl_->b.data(), k, impl_->p.beta, impl_->c.data(), m);
  return now() - start;
}

std::span<const double> Dgemm::result() { return impl_->c.span(); }

double Dgemm::residual(std::int64_t calls) { return dgemm::residual(impl_->p, calls, result()); }

Json::Object Dgemm::conditions() const {
  return {{"huge_page_fraction", huge_page_fraction()}, {"library_binding", Json::array(impl_->blas.own_threads())}};
}

Json::Object Dgemm::software() const { return {{"blas", impl_->blas.name()}, {"blas_path", impl_->blas.path()}}; }

std::vector<Verification> Dgemm::checks() const { return {}; }

bool drives_device() { return false; }

struct Group::Impl {
  const SharedMatrices& matrices;
  Blas blas;
};

Group::Group(const SharedMatrices& matrices, const std::vector<std::vector<int>>& places)
    : impl_(make_hidden<Impl>(Impl{.matrices = matrices, .blas = Blas(Blas::chosen(), places)})) {}

void Group::compute(const NextBlock& next, const Finish& finish) {
  const Params& p = impl_->matrices.params();
  const auto m = static_cast<int>(p.m);
  const auto k = static_cast<int>(p.k);
  const auto multiply = [&](const Piece& piece, const double* a, const double* b, double* c) {
    impl_->blas.dgemm(static_cast<int>(piece.rows), static_cast<int>(piece.columns), static_cast<int>(piece.inner),
                      p.alpha, a, m, b, k, piece.beta, c, m);
  };
  compute_in_turn(impl_->matrices, next, finish, multiply);
}

std::string Group::library() const { return impl_->blas.name(); }
std::string Group::method() const { return "in place"; }  // NOLINT(modernize-use-string-view): as it is declared
Json::Object Group::conditions() const { return {{"library_binding", Json::array(impl_->blas.own_threads())}}; }
Json::Object Group::software() const { return {{"blas", impl_->blas.name()}, {"blas_path", impl_->blas.path()}}; }

}  // namespace banzuke::dgemm
