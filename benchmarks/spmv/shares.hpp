// How a product is divided among the threads: by non-zeros and rows together, because a row costs about what a
// non-zero does (8 bytes of y and 8 of its start, beside 12).
#pragma once

#include <omp.h>

#include <cstdint>
#include <span>
#include <vector>

namespace banzuke::spmv {

// Threads worth starting for so much: all or one.
int sharers(std::int64_t entries, std::int64_t rows);

// Bounds of `parts` runs of rows with about equal start[i] + weight i; start has one element more than there are rows.
std::vector<std::int64_t> cut_rows(std::span<const std::int64_t> start, int parts, std::int64_t weight = 1);

// Calls part(i) for each share, on as many threads; without a parallel region where there is one share only.
template <class Part>
void each_share(int shares, const Part& part) {
  if (shares == 1) {
    part(0);
    return;
  }
#pragma omp parallel
  for (int i = omp_get_thread_num(); i < shares; i += omp_get_num_threads()) part(i);
}

}  // namespace banzuke::spmv
