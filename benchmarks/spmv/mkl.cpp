#include "core/clock.hpp"
#include "core/parameters.hpp"
#include "mkl_sparse.hpp"
#include "spmv.hpp"
#include "vectors.hpp"

namespace banzuke::spmv {

const std::vector<std::string>& formats() {
  static const std::vector<std::string> names{"auto", "crs", "merge", "sell", "bcsr"};
  return names;
}

bool offers_library() { return false; }
Problem problem(const Params& params, int ranks) { return problem_on_host(params, ranks); }

struct Spmv::Impl {
  explicit Impl(const Crs& crs) : matrix(crs), vectors(crs.rows) {}

  MklSparse matrix;
  Vectors vectors;
  std::unique_ptr<Flush> flush{};
  std::string format = "MKL's own";
};

Spmv::Spmv(const Crs& matrix, const std::string& format) {
  if (format != "auto") {
    throw UsageError("format: MKL chooses its own, so only auto is left, not " + format);
  }
  impl_ = make_hidden<Impl>(matrix);
}

void Spmv::load(std::span<const double> x) { impl_->vectors.load(x); }
void Spmv::store(std::span<double> y) const { impl_->vectors.store(y); }

double Spmv::run(int products) {
  const double start = now();
  for (int i = 0; i < products; ++i) impl_->matrix.run(impl_->vectors.x(), impl_->vectors.y());
  return now() - start;
}

void Spmv::clear_caches() {
  if (!impl_->flush) impl_->flush = std::make_unique<Flush>();
  (*impl_->flush)();
}

Json::Object Spmv::software() const { return {}; }
Json::Object Spmv::conditions() const { return {{"huge_page_fraction", huge_page_fraction()}}; }
std::vector<Verification> Spmv::checks() const { return {}; }
const std::string& Spmv::format() const { return impl_->format; }
double Spmv::fill() const { return -1.0; }
const std::string& Spmv::method() const { return impl_->matrix.library(); }

}  // namespace banzuke::spmv
