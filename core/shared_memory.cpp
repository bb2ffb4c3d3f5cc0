#include "core/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include "core/agreement.hpp"
#include "core/array.hpp"
#include "core/storage/descriptor.hpp"

namespace banzuke {
namespace {

struct stat status_of(const Descriptor& memory) {
  struct stat status{};
  if (fstat(memory.get(), &status) != 0) throw_errno("look at shared memory");
  return status;
}

}  // namespace

void SharedMemory::collapse(std::size_t begin, std::size_t end) const {
  constexpr int madv_collapse = 25;  // since Linux 6.1, and so not in every system's header
  begin = (begin + huge_page - 1) / huge_page * huge_page;
  end = end / huge_page * huge_page;
  if (begin < end) madvise(static_cast<char*>(start_) + begin, end - begin, madv_collapse);
}

SharedMemory::SharedMemory(const Communicator& ranks, std::size_t bytes) : bytes_(bytes) {
  const int under_kernel = 1 + static_cast<int>(ranks.maximum(ranks.local_rank()));
  if (under_kernel != ranks.size()) {
    throw CommonFailure("memory can be shared on one host alone, and the ranks are on several");
  }
  Descriptor memory;
  together(ranks, [&] {
    if (ranks.rank() != 0) return;
    memory = Descriptor(memfd_create("banzuke", MFD_CLOEXEC));
    if (!memory) throw_errno("make memory that ranks share");
    if (ftruncate(memory.get(), static_cast<off_t>(bytes)) != 0) throw_errno("make memory that ranks share");
  });
  const bool first = ranks.rank() == 0;
  const auto process = of_first_rank(ranks, static_cast<std::uint64_t>(getpid()));
  const auto number = of_first_rank(ranks, first ? static_cast<std::uint64_t>(memory.get()) : 0);
  const auto inode = of_first_rank(ranks, first ? static_cast<std::uint64_t>(status_of(memory).st_ino) : 0);
  together(ranks, [&] {
    if (!first) {
      const std::string path = "/proc/" + std::to_string(process) + "/fd/" + std::to_string(number);
      memory = Descriptor(::open(path.c_str(), O_RDWR | O_CLOEXEC));
      if (!memory) throw_errno("open the memory of rank 0, " + path);
      // In a container, another rank's process may have this number.
      if (status_of(memory).st_ino != inode) throw std::runtime_error(path + " is no memory of rank 0");
    }
    // Huge pages of a file need aligned addresses.
    void* room = detail::map_aligned(bytes, PROT_NONE);
    void* start = room == nullptr ? MAP_FAILED
                                  : mmap(room, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memory.get(), 0);
    if (start == MAP_FAILED) throw_errno("map " + std::to_string(bytes) + " bytes of shared memory");
    madvise(start, bytes, MADV_HUGEPAGE);  // fails if the kernel has none for shared memory
    start_ = start;
  });
}

SharedMemory::~SharedMemory() {
  detail::note_pages(start_, bytes_);
  munmap(start_, bytes_);
}

}  // namespace banzuke
