// Determines which bytes of which file each transfer of a rank covers.
#pragma once

#include <cstdint>
#include <string>

#include "ior.hpp"

namespace banzuke::ior {

// A pseudo-random permutation of [0, count) that takes no memory.
class Permutation {
 public:
  Permutation(std::uint64_t seed, std::int64_t count);
  std::int64_t operator()(std::int64_t i) const;

 private:
  std::uint64_t seed_;
  std::uint64_t count_;
  unsigned half_;  // bits: a Feistel network permutes [0, 4^half); values out of range go through it again
};

// What one rank wrote, so that any rank can find it.
class Part {
 public:
  // `seed` and the number of the round make orders and contents differ from those of others.
  Part(const Params& params, int ranks, int rank, std::uint64_t seed, std::int64_t round);

  const std::string& name() const { return name_; }
  std::uint64_t file() const { return file_; }  // its number, which determines its contents; differs between rounds
  std::int64_t offset_written(std::int64_t i) const { return offset(random_ ? written_(i) : i); }

  // The offsets of the first `count` transfers written, in the order of reading, which is a separate one if it is
  // random.
  class Reading {
   public:
    Reading(const Part& part, std::int64_t count) : part_(part), order_(part.seed_ + 1, count) {}
    std::int64_t offset(std::int64_t i) const { return part_.offset_written(part_.random_ ? order_(i) : i); }

   private:
    const Part& part_;
    Permutation order_;
  };

 private:
  std::int64_t offset(std::int64_t i) const { return first_ + i / in_block_ * stride_ + i % in_block_ * transfer_; }

  std::string name_;
  std::uint64_t file_;
  std::uint64_t seed_;
  bool random_;
  std::int64_t first_;
  std::int64_t in_block_;  // transfers
  std::int64_t stride_;    // bytes from one block of this rank to the next
  std::int64_t transfer_;
  Permutation written_;
};

}  // namespace banzuke::ior
