// Who sends which part of a buffer to whom, step by step: pure data, so that it is tested for any number of ranks
// without sending anything, and so that one engine can move every pattern on while the rank computes.
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

// The messages of a step are under way together; the next step begins when they are done.
using Step = std::vector<Message>;
using Schedule = std::vector<Step>;

// In the order of the official code's numbers.
enum class Broadcast { ring, ring_modified, two_ring, two_ring_modified, scatter, scatter_modified };
inline constexpr std::array broadcast_names{"ring", "ring-modified", "two-ring", "two-ring-modified",
                                            "long", "long-modified"};

// Who has a panel to send and who will have the next one, which may be the same rank.
struct Senders {
  int root;
  int next;
};

// The whole buffer of `length` from the root to every rank. The modified kinds give it first to the next sender, which
// has a panel to factorise then and passes nothing on; to the rank after the root where that is the root again.
Schedule broadcast(Broadcast kind, int rank, int size, const Senders& senders, std::int64_t length);

// Block i of the buffer, [offsets[i], offsets[i+1]), goes from the root to the rank i places after it, in a binomial
// tree: log2(size) steps.
Schedule scatter(int rank, int size, int root, std::span<const std::int64_t> offsets);

// Every rank has its own block and gets all others. `roll`: around the ring, size - 1 steps in which each link carries
// every byte once. `binary_exchange`: log2(size) steps, for short messages.
Schedule roll(int rank, int size, std::span<const std::int64_t> offsets);
Schedule binary_exchange(int rank, int size, std::span<const std::int64_t> offsets);

// A schedule being carried out on a buffer, which must stay until it is finished.
class Communication {
 public:
  // Each has a tag of its own, so that what is under way at once does not mix.
  enum class Purpose { broadcast = 1, gather, displace };
  Communication(const SubCommunicator& ranks, std::span<double> buffer, Schedule schedule, Purpose purpose);

  // Moves it on; true when all is done.
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
