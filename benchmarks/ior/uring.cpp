// Transfers by io_uring. It uses the system calls directly, because there are few and no library is needed then.
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "file.hpp"

namespace banzuke::ior {
namespace {

// Memory that the kernel shares with this process.
class Shared {
 public:
  Shared(int ring, std::size_t size, off_t which)
      : size_(size), start_(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, which)) {
    if (start_ == MAP_FAILED) throw_errno("map the queues of io_uring");
  }
  ~Shared() { munmap(start_, size_); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;

  template <class T>
  T* at(std::size_t offset) const {
    return reinterpret_cast<T*>(static_cast<char*>(start_) + offset);
  }

 private:
  std::size_t size_;
  void* start_;
};

Descriptor set_up(unsigned entries, io_uring_params& parameters) {
  Descriptor ring(static_cast<int>(syscall(SYS_io_uring_setup, entries, &parameters)));
  if (!ring) {
    throw_errno(
        "use io_uring (containers and /proc/sys/kernel/io_uring_disabled may forbid it; use the backend posix)");
  }
  return ring;
}

unsigned load(unsigned* shared) { return std::atomic_ref(*shared).load(std::memory_order_acquire); }
void store(unsigned* shared, unsigned value) { std::atomic_ref(*shared).store(value, std::memory_order_release); }

struct Underway {
  std::byte* data = nullptr;  // of the whole transfer; null if unused
  std::int64_t offset = 0;
  std::int64_t done = 0;
  bool write = false;
};

}  // namespace

void check_backend(const Params& params) {
  if (params.collective == "yes") {
    throw UsageError("collective: the backend uring has no collective transfers", {{{"collective", "no"}}});
  }
}

struct File::Impl {
  Impl(const Params& params, const Opening& opening)
      : file(open_file(params, opening)),
        name(opening.path()),
        transfer(params.transfer),
        ring(set_up(static_cast<unsigned>(params.queue_depth), parameters)),
        submission(ring.get(), parameters.sq_off.array + parameters.sq_entries * sizeof(unsigned), IORING_OFF_SQ_RING),
        entries(ring.get(), parameters.sq_entries * sizeof(io_uring_sqe), IORING_OFF_SQES),
        completion(ring.get(), parameters.cq_off.cqes + parameters.cq_entries * sizeof(io_uring_cqe),
                   IORING_OFF_CQ_RING),
        transfers(static_cast<std::size_t>(params.queue_depth)) {
    for (std::size_t i = transfers.size(); i > 0; --i) free.push_back(i - 1);
  }
  // The kernel must not write to memory after it has been freed.
  ~Impl() {
    while (free.size() < transfers.size()) {
      try {
        reap();
      } catch (const std::exception&) {
        if (!entered) return;  // nothing more can be learnt about them
      }
    }
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void begin(std::byte* data, std::int64_t offset, bool write) {
    while (free.empty()) reap();
    const std::size_t i = free.back();
    free.pop_back();
    transfers[i] = {.data = data, .offset = offset, .write = write};
    queue(i);
  }

  // Queues a transfer; the next reap() submits it with others.
  void queue(std::size_t i) {
    const Underway& one = transfers[i];
    const unsigned tail = *submission.at<unsigned>(parameters.sq_off.tail);
    const unsigned at = tail & *submission.at<unsigned>(parameters.sq_off.ring_mask);
    auto& entry = entries.at<io_uring_sqe>(0)[at];
    entry = {};
    entry.opcode = one.write ? IORING_OP_WRITE : IORING_OP_READ;
    entry.fd = file.get();
    entry.addr = reinterpret_cast<std::uint64_t>(one.data + one.done);
    entry.len = static_cast<unsigned>(transfer - one.done);
    entry.off = static_cast<std::uint64_t>(one.offset + one.done);
    entry.user_data = i;
    submission.at<unsigned>(parameters.sq_off.array)[at] = at;
    store(submission.at<unsigned>(parameters.sq_off.tail), tail + 1);
    ++queued;
  }

  // Submits what is queued, waits for one transfer, and removes all that are finished.
  void reap() {
    const long taken = syscall(SYS_io_uring_enter, ring.get(), queued, 1U, IORING_ENTER_GETEVENTS, nullptr, 0UL);
    entered = taken >= 0 || errno == EINTR || errno == EAGAIN || errno == EBUSY;
    if (!entered) throw_errno("submit transfers to io_uring");
    if (taken > 0) queued -= static_cast<unsigned>(taken);
    auto* head = completion.at<unsigned>(parameters.cq_off.head);
    std::string failure;
    for (unsigned next = *head; next != load(completion.at<unsigned>(parameters.cq_off.tail)); store(head, ++next)) {
      const unsigned at = next & *completion.at<unsigned>(parameters.cq_off.ring_mask);
      const auto entry = completion.at<io_uring_cqe>(parameters.cq_off.cqes)[at];
      finish(static_cast<std::size_t>(entry.user_data), entry.res, failure);
    }
    if (!failure.empty()) throw std::runtime_error(failure);
  }

  void finish(std::size_t i, int moved, std::string& failure) {
    Underway& one = transfers[i];
    if (moved > 0) one.done += moved;
    const bool again = moved > 0 || moved == -EINTR || moved == -EAGAIN;
    if (again && one.done < transfer) return queue(i);
    if (!again && failure.empty()) {
      failure = "cannot " + attempted(one.write ? "write" : "read", transfer, one.offset, name) + ": " +
                (moved == 0 ? "the file ends there" : std::strerror(-moved));
    }
    one.data = nullptr;
    free.push_back(i);
  }

  Descriptor file;
  std::string name;
  std::int64_t transfer;
  io_uring_params parameters{};
  Descriptor ring;
  Shared submission;
  Shared entries;
  Shared completion;
  std::vector<Underway> transfers;
  std::vector<std::size_t> free;  // indices of unused elements of `transfers`
  unsigned queued = 0;
  bool entered = true;
};

File::File(const Params& params, const Opening& opening) : impl_(make_hidden<Impl>(params, opening)) {}

void File::write(const std::byte* data, std::int64_t offset) {
  impl_->begin(const_cast<std::byte*>(data), offset, true);  // reads and writes have the same member in `Underway`
}
void File::read(std::byte* data, std::int64_t offset) { impl_->begin(data, offset, false); }

void File::wait(std::span<const std::byte> memory) {
  const std::byte* end = memory.data() + memory.size();
  const auto there = [&](const Underway& one) { return one.data >= memory.data() && one.data < end; };
  while (std::ranges::any_of(impl_->transfers, there)) impl_->reap();
}

void File::wait() {
  while (impl_->free.size() < impl_->transfers.size()) impl_->reap();
}

void File::sync() {
  if (fsync(impl_->file.get()) != 0) throw_errno("write " + impl_->name + " to the storage (fsync)");
}

void File::close() {
  wait();
  if (impl_->file.reset() != 0) throw_errno("close " + impl_->name);
}

}  // namespace banzuke::ior
