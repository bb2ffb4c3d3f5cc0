#include "core/array.hpp"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <fstream>
#include <limits>
#include <mutex>
#include <new>
#include <optional>
#include <sstream>
#include <string>

namespace banzuke {
namespace {

// Set once, before any threads or arrays exist.
Pages pages_chosen = Pages::transparent;

// Returns a number from /proc/meminfo in the file's unit; 0 if it is missing.
std::size_t meminfo(const std::string& name) {
  std::ifstream in("/proc/meminfo");
  for (std::string key, rest; in >> key; std::getline(in, rest)) {
    std::size_t value = 0;
    if (key == name + ":" && in >> value) return value;
  }
  return 0;
}

std::size_t reserved_page() {
  static const std::size_t bytes = 1024 * meminfo("Hugepagesize");
  return bytes;
}

std::size_t rounded_up(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

void* map_reserved(std::size_t bytes) {
  const std::size_t page = reserved_page();
  if (page == 0) throw PoolExhausted("this kernel has no huge pages to reserve");
  if (bytes > std::numeric_limits<std::size_t>::max() - page) throw std::bad_alloc();
  void* start =
      mmap(nullptr, rounded_up(bytes, page), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
  if (start != MAP_FAILED) return start;
  const std::size_t needed = rounded_up(bytes, page) / page;
  const std::size_t free = meminfo("HugePages_Free") - meminfo("HugePages_Rsvd");
  throw PoolExhausted("too few huge pages are reserved: an array needs " + std::to_string(needed) + " of " +
                      std::to_string(page / 1024) + " KiB, " + std::to_string(free) + " of " +
                      std::to_string(meminfo("HugePages_Total")) +
                      " are free; reserve more in /proc/sys/vm/nr_hugepages");
}

// The kernel's account of touched pages, in kilobytes.
struct Account {
  bool known = false;
  double anonymous = 0.0;  // without the reserved ones
  double transparent = 0.0;
  double reserved = 0.0;
  double resident = 0.0;  // without the reserved ones
  double shared_transparent = 0.0;

  double all() const { return anonymous + reserved; }
};

// Reads the account of the mapping that contains the address, or of the whole process.
Account account(std::optional<std::uintptr_t> address = {}) {
  std::ifstream in(address ? "/proc/self/smaps" : "/proc/self/smaps_rollup");
  Account found;
  bool here = false;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string key;
    double kilobytes = 0.0;
    if (!(words >> key)) continue;
    if (key.back() != ':') {  // 7f00-7f80 rw-p ...
      if (found.known) break;
      std::uintptr_t first = 0;
      std::uintptr_t end = 0;
      char dash = 0;
      std::istringstream range(key);
      here = !address || (range >> std::hex >> first >> dash >> end && first <= *address && *address < end);
    } else if (here && words >> kilobytes) {
      if (key == "Rss:") found.resident = kilobytes;
      if (key == "Anonymous:") found.anonymous = kilobytes;
      if (key == "ShmemPmdMapped:") found.shared_transparent = kilobytes;
      if (key == "Private_Hugetlb:") found.reserved = kilobytes;
      if (key == "AnonHugePages:") {
        found.transparent = kilobytes;
        found.known = true;
      }
    }
  }
  return found;
}

struct Largest {
  std::mutex mutex;
  double kilobytes = 0.0;
  std::string_view kind{};
};
Largest largest_array;

// Records the array's kind of pages if it is the largest so far: reading the account takes milliseconds per gigabyte.
void look_at(const void* start, std::size_t bytes) {
  const std::scoped_lock lock(largest_array.mutex);
  if (bytes < huge_page || static_cast<double>(bytes) / 1024 <= largest_array.kilobytes) return;
  const Account seen = account(reinterpret_cast<std::uintptr_t>(start));
  const double touched = std::max(seen.all(), seen.resident);  // shared memory is not anonymous
  if (!seen.known || touched <= largest_array.kilobytes) return;
  largest_array.kilobytes = touched;
  const auto most = [&](double of) { return 2.0 * of >= touched; };
  const double transparent = seen.transparent + seen.shared_transparent;
  largest_array.kind = most(seen.reserved) ? "reserved" : most(transparent) ? "transparent" : "base";
}

}  // namespace

void use_pages(Pages pages) {
  pages_chosen = pages;
  prctl(PR_SET_THP_DISABLE, pages == Pages::base ? 1 : 0, 0, 0, 0);  // fails if there are none to disable
}

std::size_t reserved_pages(double bytes) {
  const auto page = static_cast<double>(reserved_page());
  return page > 0.0 ? static_cast<std::size_t>(bytes / page) + 1 : 0;
}

namespace detail {

// Maps one huge page more than needed and trims the ends.
void* map_aligned(std::size_t bytes, int protection) {
  const std::size_t length = bytes + huge_page;
  if (length < bytes) return nullptr;
  void* raw = mmap(nullptr, length, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (raw == MAP_FAILED) return nullptr;
  const auto address = reinterpret_cast<std::uintptr_t>(raw);
  const std::uintptr_t aligned = (address + huge_page - 1) & ~(huge_page - 1);
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t end = (aligned + bytes + page - 1) & ~(page - 1);
  if (aligned > address) munmap(raw, aligned - address);
  if (address + length > end) munmap(reinterpret_cast<void*>(end), address + length - end);
  return reinterpret_cast<void*>(aligned);
}

void* map_pages(std::size_t bytes) {
  bytes = std::max<std::size_t>(bytes, 1);
  if (pages_chosen == Pages::reserved) return map_reserved(bytes);
  void* start = map_aligned(bytes, PROT_READ | PROT_WRITE);
  if (start == nullptr) throw std::bad_alloc();
  // Fails if the kernel has no huge pages: page_kind() will show it.
  madvise(start, bytes, pages_chosen == Pages::base ? MADV_NOHUGEPAGE : MADV_HUGEPAGE);
  return start;
}

void unmap_pages(void* start, std::size_t bytes) noexcept {
  bytes = std::max<std::size_t>(bytes, 1);
  if (pages_chosen == Pages::reserved) bytes = rounded_up(bytes, reserved_page());
  note_pages(start, bytes);
  munmap(start, bytes);
}

void note_pages(const void* start, std::size_t bytes) noexcept {
  try {
    look_at(start, bytes);
  } catch (const std::exception&) {
    largest_array.kind = {};  // no memory left for reading
  }
}

}  // namespace detail

double huge_page_fraction() {
  const Account seen = account();
  return seen.known && seen.all() > 0.0 ? (seen.transparent + seen.reserved) / seen.all() : -1.0;
}

std::string_view page_kind() {
  if (largest_array.kind.empty()) {
    try {
      Array<char> probe(huge_page);
      probe[0] = 1;  // faults in one page, of whatever size
    } catch (const PoolExhausted&) {
      return "";
    }
  }
  return largest_array.kind;
}

}  // namespace banzuke
