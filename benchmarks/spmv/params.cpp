#include <omp.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "choose.hpp"
#include "families.hpp"
#include "matrix_market.hpp"
#include "spmv.hpp"
#include "statistics.hpp"

namespace banzuke::spmv {

void declare(Parameters& parameters, Params& params) {
  parameters.add("file", params.file, "a Matrix Market file, also gzip's; empty: a generated matrix");
  parameters.add("family", params.family, "kind of the generated matrix", family_names());
  parameters.add("nonzeros", params.nonzeros, "about how many non-zeros are generated",
                 {.min = 0, .max = std::int64_t{1} << 40});
  parameters.add("format", params.format, "how the matrix is stored; auto: by the lengths of its rows and its blocks",
                 formats());
  if (offers_library()) {
    parameters.add("product", params.product,
                   "whose product is called: our own, or the library's in a format of its own", {"own", "library"});
  }
  parameters.add("rounds", params.rounds, "products timed, after eleven that are not", {.min = 1, .max = 1'000'000});
  parameters.add("flush", params.flush, "1: the caches are cleared before each product", {.min = 0, .max = 1});
}

std::string form(const Params& params) { return params.product == "library" ? params.product : params.format; }

namespace {

// Returns the footprint of a file, or 0 if it cannot be read; the run then reports why.
double footprint_of_readable(const std::string& file) {
  try {
    return footprint_of_file(file);
  } catch (const std::runtime_error&) {
    return 0.0;
  }
}

}  // namespace

double footprint_of_matrix(const Params& params, int ranks) {
  if (ranks != 1) {
    throw UsageError("SpMV runs in one rank with all threads, but there are " + std::to_string(ranks),
                     {{{"ranks", 1}}});
  }
  return params.file.empty() ? footprint_of(params.family, params.nonzeros) : footprint_of_readable(params.file);
}

Problem problem_on_host(const Params& params, int ranks) {
  // A format that the program chooses takes few bytes more than CRS, because it is chosen by its bytes.
  const bool asked = params.format == "sell" || params.format == "bcsr";
  const double flushed = params.flush != 0 ? static_cast<double>(flush_bytes) * omp_get_max_threads() : 0.0;
  return {.footprint = footprint_of_matrix(params, ranks) * (1.0 + (asked ? most_fill : 1.5)) + flushed};
}

Work work(const Crs& matrix) {
  const auto nonzeros = static_cast<double>(matrix.nonzeros());
  std::vector<char> met(static_cast<std::size_t>(matrix.columns));
  for (const std::int32_t column : matrix.column) met[static_cast<std::size_t>(column)] = 1;
  const auto used = static_cast<double>(std::ranges::count(met, 1));
  const double loads = least_bytes(matrix) + 8.0 * used;
  return {.counted = 2.0 * nonzeros,
          .demand = {{"flops.fp64", 2.0 * nonzeros},
                     {"memory.bytes", loads + 8.0 * static_cast<double>(matrix.rows)},
                     {"memory.loads", loads}}};
}

void add_gathers(Work& work, const Crs& matrix, std::int64_t threads, const CacheBytes& caches) {
  constexpr std::int64_t line_bytes = 64;
  const auto add = [&](const char* resource, std::int64_t lines) {
    if (lines > 0) work.demand.push_back({.resource = resource, .amount = static_cast<double>(lines)});
  };
  const std::int64_t own = caches.l2 / line_bytes;
  if (own > 0) add("memory.l3.gathers", least_loads_of(matrix, threads, own));
  // Caches may hold other lines than those before them.
  const std::int64_t all = threads * own + caches.last / line_bytes;
  if (caches.last > 0) add("memory.gathers", least_loads_together(matrix, threads, all));
}

}  // namespace banzuke::spmv
