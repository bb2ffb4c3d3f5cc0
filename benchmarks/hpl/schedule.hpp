// Communication schedules: who sends which part of a buffer to whom, step by step. They are pure data, so that they can
// be tested for any number of ranks without communication, and one engine can progress every pattern while the rank
// computes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/subcommunicator.hpp"

namespace banzuke::hpl {

// The part [begin, end) of the buffer, to or from `peer`.
struct Message {
  int peer = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  bool incoming = false;
};

// The messages of a step are in flight together; the next step starts when they are complete.
using Step = std::vector<Message>;
using Schedule = std::vector<Step>;

// In the order of the official code's numbers.
enum class Broadcast { ring, ring_modified, two_ring, two_ring_modified, scatter, scatter_modified };
inline constexpr std::array broadcast_names{"ring", "ring-modified", "two-ring", "two-ring-modified",
                                            "long", "long-modified"};

// The senders of a panel and of the next one, which may be the same rank.
struct Senders {
  int root;
  int next;
};

// Broadcasts the whole buffer of `length` from the root. The modified kinds send it first to the next sender, which
// then factorises a panel and forwards nothing; if that is the root again, to the rank after the root.
Schedule broadcast(Broadcast kind, int rank, int size, const Senders& senders, std::int64_t length);

// Sends block i of the buffer, [offsets[i], offsets[i+1]), from the root to the rank i places after it, in a binomial
// tree: log2(size) steps.
Schedule scatter(int rank, int size, int root, std::span<const std::int64_t> offsets);

// Allgather: every rank has its own block and gets all others. `roll`: around the ring, size - 1 steps in which each
// link carries every byte once. `binary_exchange`: log2(size) steps, for short messages.
Schedule roll(int rank, int size, std::span<const std::int64_t> offsets);
Schedule binary_exchange(int rank, int size, std::span<const std::int64_t> offsets);

// The execution of a schedule on a buffer, which must stay valid until it is finished.
class Communication {
 public:
  // Each has its own tag, so that concurrent communications do not mix.
  enum class Purpose { broadcast = 1, gather, displace };
  Communication(const SubCommunicator& ranks, std::span<double> buffer, Schedule schedule, Purpose purpose);

  // Makes progress; true when all is complete.
  bool poll();
  void finish();

 private:
  void start();

  std::span<double> buffer_;
  int tag_;
  Schedule schedule_;
  std::size_t next_ = 0;
  Transfer transfer_;
};

}  // namespace banzuke::hpl
