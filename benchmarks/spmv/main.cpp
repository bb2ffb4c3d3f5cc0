#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/array.hpp"
#include "core/clock.hpp"
#include "core/random.hpp"
#include "families.hpp"
#include "matrix_market.hpp"
#include "spmv.hpp"
#include "statistics.hpp"

namespace {

using namespace banzuke;
using namespace banzuke::spmv;

class Flush {
 public:
  explicit Flush(bool wanted)
      : lines_(wanted ? static_cast<std::size_t>(flush_bytes * omp_get_max_threads()) / sizeof(double) : 0) {}

  void operator()() {
    double* at = lines_.data();
    const auto size = static_cast<std::int64_t>(lines_.size());
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < size; ++i) at[i] += 1.0;
  }

 private:
  Array<double> lines_;
};

Result measure(const Params& params, const Context& context) {
  const Crs matrix = params.file.empty() ? generate(params.family, params.nonzeros) : read_matrix_market(params.file);
  const Statistics look = statistics(matrix);
  const Work product = work(matrix);

  double start = now();
  Spmv spmv(matrix, params.format);
  const double conversion = now() - start;

  Array<double> x(static_cast<std::size_t>(matrix.columns));
  Array<double> y(static_cast<std::size_t>(matrix.rows));
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (std::int64_t i = 0; i < matrix.columns; ++i) {
      x[static_cast<std::size_t>(i)] = uniform(0, static_cast<std::uint64_t>(i));
    }
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < matrix.rows; ++i) {
      y[static_cast<std::size_t>(i)] = std::numeric_limits<double>::quiet_NaN();  // so that a row left out is seen
    }
  }
  constexpr int warm = 10;
  for (int round = 0; round < warm; ++round) spmv.run(x.data(), y.data());

  // The clock must not be part of what it measures: small matrices are multiplied several times in a sample.
  constexpr double shortest = 20e-6;
  start = now();
  spmv.run(x.data(), y.data());
  const double once = std::max(now() - start, 1e-9);
  const int products = params.flush != 0 ? 1 : static_cast<int>(std::ceil(shortest / once));

  Flush flush(params.flush != 0);
  Metric rate{"flop_rate", "flop/s", {}, product};
  Watch watch;
  for (std::int64_t round = 0; round < params.rounds; ++round) {
    flush();
    const auto part = watch.part();
    start = now();
    for (int i = 0; i < products; ++i) spmv.run(x.data(), y.data());
    rate.samples.push_back(products * product.counted / std::max(now() - start, 1e-9));
    context.progress(round + 1, params.rounds);
  }

  Result result;
  result.conditions = watch.conditions();
  result.verification.push_back(
      {"largest rounding error over its bound", error(matrix, x.span(), y.span()), tolerance});
  result.metrics.push_back(std::move(rate));
  result.metrics.push_back({"conversion_time", "s", {conversion}, {}});
  for (const auto& [name, value] : {std::pair{"rows", look.rows},
                                    {"columns", look.columns},
                                    {"nonzeros", look.nonzeros},
                                    {"row_max", look.row_max},
                                    {"empty_rows", look.empty_rows},
                                    {"bandwidth", look.bandwidth}}) {
    result.conditions.emplace_back(name, value);
  }
  result.conditions.emplace_back("row_mean", look.row_mean);
  result.conditions.emplace_back("row_cv", look.row_cv);
  result.conditions.emplace_back("products_per_sample", products);
  result.conditions.emplace_back("working_set", demanded(product, "memory.bytes"));
  result.conditions.emplace_back("format", spmv.format());
  if (spmv.fill() >= 0.0) result.conditions.emplace_back("fill", spmv.fill());
  result.conditions.emplace_back("method", spmv.method());
  result.conditions.emplace_back("huge_page_fraction", huge_page_fraction());
  return result;
}

}  // namespace

int main(int argc, char** argv) { return run_program("spmv", BANZUKE_BACKEND, measure, argc, argv); }
