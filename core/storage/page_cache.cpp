#include "core/storage/page_cache.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace banzuke {
namespace {

// cachestat(2) of Linux 6.5, not yet declared by C libraries; the number is the same on all architectures.
constexpr long cachestat_number = 451;
struct CacheRange {
  std::uint64_t offset;
  std::uint64_t length;
};
struct CacheCounts {
  std::uint64_t cached = 0;  // pages
  std::uint64_t dirty = 0;
  std::uint64_t written_back = 0;
  std::uint64_t evicted = 0;
  std::uint64_t recently_evicted = 0;
};

}  // namespace

std::optional<double> cached_bytes(int descriptor, std::int64_t offset, std::int64_t length) {
  // cachestat reports no pages for files of overlay, whose pages are those of the file below; mincore reports nothing
  // for files that cannot be mapped.
  const auto mapped = cached_bytes_by_mincore(descriptor, offset, length);
  const CacheRange range{.offset = static_cast<std::uint64_t>(offset), .length = static_cast<std::uint64_t>(length)};
  CacheCounts counts;
  if (length <= 0 || syscall(cachestat_number, descriptor, &range, &counts, 0U) != 0) return mapped;
  return std::max(mapped.value_or(0.0),
                  static_cast<double>(counts.cached) * static_cast<double>(sysconf(_SC_PAGESIZE)));
}

std::optional<double> cached_bytes_by_mincore(int descriptor, std::int64_t offset, std::int64_t length) {
  const auto page = static_cast<std::int64_t>(sysconf(_SC_PAGESIZE));
  constexpr std::int64_t at_once = std::int64_t{1} << 30U;
  double pages = 0.0;
  const std::int64_t end = offset + length;
  for (std::int64_t at = offset / page * page; at < end; at += at_once) {
    const auto size = static_cast<std::size_t>(std::min(at_once, end - at));
    void* start = mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor, at);
    if (start == MAP_FAILED) return std::nullopt;
    std::vector<unsigned char> present((size + static_cast<std::size_t>(page) - 1) / static_cast<std::size_t>(page));
    const int failed = mincore(start, size, present.data());
    munmap(start, size);
    if (failed != 0) return std::nullopt;
    pages += static_cast<double>(std::ranges::count_if(present, [](unsigned char one) { return (one & 1U) != 0; }));
  }
  return pages * static_cast<double>(page);
}

void drop_cached(int descriptor) { static_cast<void>(posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)); }

}  // namespace banzuke
