// Equal parts from every rank to every rank, in pieces: one travels while the next is made.
#pragma once

#include <deque>
#include <span>
#include <type_traits>

#include "core/subcommunicator.hpp"

namespace banzuke {

class AllToAll {
 public:
  // Exchanges of the same ranks that are under way together need other tags: from `tag` to tag + pieces - 1.
  AllToAll(const SubCommunicator& ranks, int pieces, int tag);

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
  void wait(int piece) { transfers_.at(static_cast<std::size_t>(piece)).wait(); }
  void wait();

 private:
  void start_numbers(int piece, std::span<const double> out, std::span<double> in);

  std::size_t rank_;
  std::size_t size_;
  int tag_;
  std::deque<Transfer> transfers_;  // stays where it is
};

}  // namespace banzuke
