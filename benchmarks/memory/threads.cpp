#include "threads.hpp"

#include <sys/mman.h>
#include <unistd.h>

namespace banzuke::memory {

std::int64_t base_page() { return sysconf(_SC_PAGESIZE); }

ThreadData::ThreadData(std::int64_t bytes, bool base) {
  for (int thread = 0; thread < omp_get_max_threads(); ++thread) {
    auto& array = arrays_.emplace_back(static_cast<std::size_t>(bytes));
    // The kernel refuses this if it has no huge pages to avoid; the kind of page obtained is read back.
    if (base) madvise(array.data(), array.size(), MADV_NOHUGEPAGE);
    starts_.push_back(array.data());
  }
}

Json::Object ThreadData::conditions() const { return {{"huge_page_fraction", huge_page_fraction()}}; }

}  // namespace banzuke::memory
