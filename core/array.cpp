#include "core/array.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <new>
#include <string>

namespace banzuke {
namespace detail {

void* map_pages(std::size_t bytes) {
  bytes = std::max<std::size_t>(bytes, 1);
  // One huge page more than needed, then the ends trimmed: mmap alone aligns to small pages only.
  const std::size_t length = bytes + huge_page;
  if (length < bytes) throw std::bad_alloc();
  void* raw = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (raw == MAP_FAILED) throw std::bad_alloc();
  const auto address = reinterpret_cast<std::uintptr_t>(raw);
  const std::uintptr_t aligned = (address + huge_page - 1) & ~(huge_page - 1);
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t end = (aligned + bytes + page - 1) & ~(page - 1);
  if (aligned > address) munmap(raw, aligned - address);
  if (address + length > end) munmap(reinterpret_cast<void*>(end), address + length - end);
  void* start = reinterpret_cast<void*>(aligned);
  madvise(start, bytes, MADV_HUGEPAGE);  // refused where the kernel has none: huge_page_fraction() will tell
  return start;
}

void unmap_pages(void* start, std::size_t bytes) noexcept { munmap(start, std::max<std::size_t>(bytes, 1)); }

}  // namespace detail

double huge_page_fraction() {
  std::ifstream in("/proc/self/smaps_rollup");
  std::string key;
  std::string rest;
  double anonymous = 0.0;
  double huge = 0.0;
  bool known = false;
  while (in >> key) {
    double kilobytes = 0.0;
    if (key == "Anonymous:" && in >> kilobytes) anonymous = kilobytes;
    if (key == "AnonHugePages:" && in >> kilobytes) {
      huge = kilobytes;
      known = true;
    }
    std::getline(in, rest);
  }
  return known && anonymous > 0.0 ? huge / anonymous : -1.0;
}

}  // namespace banzuke
