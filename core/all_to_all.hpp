// All-to-all exchange of equal parts, in pieces: one is in flight while the next is computed.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "core/hosts.hpp"
#include "core/subcommunicator.hpp"

namespace banzuke {

// The ranks in this rank's block of `size` ranks, and the ranks at the same position in the other blocks.
struct Blocks {
  Blocks(const Communicator& ranks, int size)
      : within(ranks, ranks.rank() / size, ranks.rank()), across(ranks, ranks.rank() % size, ranks.rank()) {}

  SubCommunicator within;
  SubCommunicator across;
};

class AllToAll {
 public:
  // Parts of fewer bytes are combined into one message between hosts, because they are bound by message latency.
  static constexpr std::size_t short_part = 16U << 10U;

  // Uses tags `tag` to tag + pieces - 1; concurrent exchanges among the same ranks need different ones. With `blocks`,
  // one for each host, short parts to and from a host are combined into one message for each of its ranks; the blocks
  // must outlive this object.
  AllToAll(const SubCommunicator& ranks, int pieces, int tag, const Blocks* blocks = nullptr);

  // Sends part i of `out` to rank i and receives part i of `in` from it; both buffers must stay valid until the piece
  // has arrived. Call it from one thread, outside parallel regions, in the same order on all ranks. A piece may be
  // started again after wait(). T must consist of doubles; the span sizes must be multiples of the number of ranks.
  template <class T>
  void start(int piece, std::span<const T> out, std::span<T> in) {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) % alignof(double) == 0);
    // NOLINTNEXTLINE(bugprone-sizeof-expression): T may be double itself
    constexpr std::size_t each = sizeof(T) / sizeof(double);
    start_numbers(piece, {reinterpret_cast<const double*>(out.data()), out.size() * each},
                  {reinterpret_cast<double*>(in.data()), in.size() * each});
  }
  // Makes progress; true when no piece is in flight. The thread that started them may call it now and then, even in a
  // parallel region.
  bool done();
  // All ranks must wait for the pieces in the same order.
  void wait(int piece);
  void wait();

 private:
  // Combined parts: sent first to the rank of this block at the target's position, then to the target.
  struct Combined {
    explicit Combined(const Blocks& blocks) : within(blocks.within), across(blocks.across) {}

    Transfer within;
    Transfer across;
    std::vector<double> leaving;  // by position in the block, then by block; second step: by block, then by position
    std::span<double> in;         // after the first step: by position of the source, then by block of the target
    bool first = false;           // the first step, within the block, is in flight
  };
  struct Piece {
    Piece(const SubCommunicator& ranks, const Blocks* blocks);

    Transfer direct;
    std::optional<Combined> combined;
  };

  void start_numbers(int piece, std::span<const double> out, std::span<double> in);
  void start_combined(Combined& combined, int tag, std::span<const double> out, std::span<double> in) const;
  void pass_on(Combined& combined, int tag) const;

  std::size_t rank_;
  std::size_t size_;
  int tag_;
  std::size_t block_ = 1;
  std::deque<Piece> pieces_;  // never move in memory
};

}  // namespace banzuke
