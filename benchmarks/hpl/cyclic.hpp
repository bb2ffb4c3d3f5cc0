// One dimension of the block-cyclic distribution: which rank has which block, and where a rank's own blocks are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace banzuke::hpl {

// The owner of each block in a period, after which the pattern repeats.
struct Turns {
  int ranks = 1;
  std::vector<int> owner{0};
};

// One block to each rank in turn, the first to rank 0.
Turns take_turns(int ranks);
// In proportion to the shares, one positive share per rank. Every rank's blocks are spread evenly: of any number of
// first blocks, hence of those left at any step of an elimination, each rank has its share up to about a block. With
// equal shares each gets one in turn.
Turns deal_by_shares(std::span<const double> shares);

// Number of indices on the rank that has most of the first `count`.
std::int64_t most_indices(std::int64_t block, const Turns& turns, std::int64_t count);

// Blocks of `block` indices are distributed by turns. Maps of one period are stored, so that no search is needed.
struct Cyclic {
  Cyclic(std::int64_t block, const Turns& turns, int rank);
  Cyclic(std::int64_t block, int ranks, int rank) : Cyclic(block, take_turns(ranks), rank) {}

  std::int64_t block;
  int ranks;
  int rank;

  int owner(std::int64_t global) const { return owners_[index(global / block) % owners_.size()]; }
  bool mine(std::int64_t global) const { return owner(global) == rank; }
  // The number of local indices with global ones before `global`, i.e. the local index of `global` itself if it is
  // local.
  std::int64_t before(std::int64_t global) const {
    const auto period = std::ssize(owners_);
    const std::int64_t blocks = global / block;
    const std::int64_t own = blocks / period * std::ssize(places_) + earlier_[index(blocks % period)];
    return own * block + (mine(global) ? global % block : 0);
  }
  // The global index of a local one, which must exist.
  std::int64_t global(std::int64_t local) const {
    const auto own = std::ssize(places_);
    const std::int64_t blocks = local / block;
    return (blocks / own * std::ssize(owners_) + places_[index(blocks % own)]) * block + local % block;
  }

 private:
  static std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

  std::vector<int> owners_;   // of each block in a period
  std::vector<int> places_;   // of my blocks within a period
  std::vector<int> earlier_;  // how many of these precede each block of a period
};

}  // namespace banzuke::hpl
