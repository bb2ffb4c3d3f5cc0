// Equal parts from every rank to every rank, in pieces: one travels while the next is made.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "core/hosts.hpp"
#include "core/subcommunicator.hpp"

namespace banzuke {

// The ranks of this one's block of `size`, and the ranks that have its place in the others.
struct Blocks {
  Blocks(const Communicator& ranks, int size)
      : within(ranks, ranks.rank() / size, ranks.rank()), across(ranks, ranks.rank() % size, ranks.rank()) {}

  SubCommunicator within;
  SubCommunicator across;
};

class AllToAll {
 public:
  // Parts below this many bytes travel between hosts together: their time is that of starting messages.
  static constexpr std::size_t short_part = 16U << 10U;

  // Exchanges of the same ranks that are under way together need other tags: from `tag` to tag + pieces - 1. Of ranks
  // that are in `blocks`, each host's, short parts to and from a host travel in one message for each of its ranks;
  // the blocks must outlive this.
  AllToAll(const SubCommunicator& ranks, int pieces, int tag, const Blocks* blocks = nullptr);

  // Sends part i of `out` to rank i and receives part i of `in` from it; both must stay until the piece has arrived. To
  // be called by one thread, outside of parallel regions, on all ranks in the same order; a piece again once it was
  // waited for. T holds doubles alone, and the spans are divided by the number of ranks.
  template <class T>
  void start(int piece, std::span<const T> out, std::span<T> in) {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) % alignof(double) == 0);
    // NOLINTNEXTLINE(bugprone-sizeof-expression): T may be double itself
    constexpr std::size_t each = sizeof(T) / sizeof(double);
    start_numbers(piece, {reinterpret_cast<const double*>(out.data()), out.size() * each},
                  {reinterpret_cast<double*>(in.data()), in.size() * each});
  }
  // True when no piece is under way any more; moves them on. May be called now and then by the thread that started
  // them, also in a parallel region.
  bool done();
  // Pieces are waited for in the same order on all ranks.
  void wait(int piece);
  void wait();

 private:
  // Parts that travel together: first to the rank of this block that has the target's place, then to the target.
  struct Combined {
    explicit Combined(const Blocks& blocks) : within(blocks.within), across(blocks.across) {}

    Transfer within;
    Transfer across;
    std::vector<double> leaving;  // by place in the block, then by block; then by block, then by place
    std::span<double> in;         // at first by place of the source, then by block of the target
    bool first = false;           // under way within the block
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
  std::deque<Piece> pieces_;  // they stay where they are
};

}  // namespace banzuke
