// Divides a product among the threads, by non-zeros and rows together, because a row costs about as much as a non-zero
// (8 bytes of y and 8 of its start, versus 12).
#pragma once

#include <omp.h>

#include <cstdint>
#include <span>
#include <vector>

namespace banzuke::spmv {

// Returns the number of threads worth starting for this amount of work: all or one.
int sharers(std::int64_t entries, std::int64_t rows);

// Returns the bounds of `parts` runs of rows with about equal start[i] + weight i; start has one more element than
// there are rows.
std::vector<std::int64_t> cut_rows(std::span<const std::int64_t> start, int parts, std::int64_t weight = 1);

// Calls part(i) for each share, on as many threads; without a parallel region if there is only one share.
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
