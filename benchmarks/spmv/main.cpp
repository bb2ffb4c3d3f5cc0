#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "core/array.hpp"
#include "core/caches.hpp"
#include "core/clock.hpp"
#include "core/random.hpp"
#include "families.hpp"
#include "matrix_market.hpp"
#include "spmv.hpp"
#include "statistics.hpp"

namespace {

using namespace banzuke;
using namespace banzuke::spmv;

// Returns the caches of processors on which the threads may run: the second level before the last, and all last ones.
CacheBytes cache_bytes(const std::vector<std::vector<int>>& places) {
  std::set<int> processors;
  for (const auto& place : places) processors.insert(place.begin(), place.end());
  CacheBytes out;
  std::map<int, std::int64_t> last_by_first;
  for (const int processor : processors) {
    const std::vector<DataCache> caches = caches_of(processor);
    if (caches.size() < 2 || caches.back().shared_by.empty()) return {};
    last_by_first[std::ranges::min(caches.back().shared_by)] = caches.back().bytes;
    const auto second = std::ranges::find(caches, 2, &DataCache::level);
    if (second != caches.end() && second != caches.end() - 1) out.l2 = std::max(out.l2, second->bytes);
  }
  for (const auto& [first, bytes] : last_by_first) out.last += bytes;
  return out;
}

Result measure(const Params& params, const Context& context) {
  const Crs matrix = params.file.empty() ? generate(params.family, params.nonzeros) : read_matrix_market(params.file);
  const Statistics look = statistics(matrix);
  Work product = work(matrix);
  if (std::string_view(backend_devices).empty()) {
    add_gathers(product, matrix, omp_get_max_threads(), cache_bytes(context.places));
  }

  const double start = now();
  Spmv spmv(matrix, form(params));
  const double conversion = now() - start;

  Array<double> x(static_cast<std::size_t>(matrix.columns));
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < matrix.columns; ++i) {
    x[static_cast<std::size_t>(i)] = uniform(0, static_cast<std::uint64_t>(i));
  }
  spmv.load(x.span());
  constexpr int warm = 10;
  spmv.run(warm);

  // Reading the clock must not affect the figure, so small matrices are multiplied several times in a sample.
  constexpr double shortest = 20e-6;
  constexpr double tick = 1e-9;
  const double once = std::max(spmv.run(1), tick);
  const int products = params.flush != 0 ? 1 : static_cast<int>(std::ceil(shortest / once));

  Metric rate{"flop_rate", "flop/s", {}, product};
  Watch watch;
  for (std::int64_t round = 0; round < params.rounds; ++round) {
    if (params.flush != 0) spmv.clear_caches();
    const auto part = watch.part();
    rate.samples.push_back(products * product.counted / std::max(spmv.run(products), tick));
    context.progress(round + 1, params.rounds);
  }

  Result result;
  result.software = spmv.software();
  result.conditions = watch.conditions();
  std::vector<double> y(static_cast<std::size_t>(matrix.rows));
  spmv.store(y);
  result.verification.push_back({"largest rounding error over its bound", error(matrix, x.span(), y), tolerance});
  for (auto& check : spmv.checks()) result.verification.push_back(std::move(check));
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
  result.conditions.emplace_back("x_lines", look.x_lines);
  result.conditions.emplace_back("products_per_sample", products);
  result.conditions.emplace_back("working_set", demanded(product, "memory.bytes"));
  result.conditions.emplace_back("format", spmv.format());
  if (spmv.fill() >= 0.0) result.conditions.emplace_back("fill", spmv.fill());
  result.conditions.emplace_back("method", spmv.method());
  const auto how = spmv.conditions();
  result.conditions.insert(result.conditions.end(), how.begin(), how.end());
  return result;
}

}  // namespace

int main(int argc, char** argv) { return run_program("spmv", measure, argc, argv); }
