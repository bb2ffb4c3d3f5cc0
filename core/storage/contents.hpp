// What files are filled with: bytes that no file system can compress or share with others, and that tell where they
// belong.
//
// A base of random words is made once, in memory. Each piece is a part of it that begins at a page chosen by file and
// offset, and the first word of each of its pages is replaced by one that no other page has. So every word depends on
// seed, file and offset, nothing repeats within a piece, and making one within the clock takes some nanoseconds a page.
// More words must not be replaced: what the processor has just written to its caches, a disk gets more slowly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/array.hpp"

namespace banzuke {

class Contents {
 public:
  static constexpr std::int64_t page = 4096;

  // For pieces of `piece` bytes, a multiple of 8, at offsets that are multiples of it; `at_once` of them may be in use
  // at the same time.
  Contents(std::uint64_t seed, std::int64_t piece, std::int64_t at_once = 1);

  static std::int64_t base_bytes(std::int64_t piece, std::int64_t at_once);

  // The memory that the piece at `offset` is made in: another piece there must not be in use any more.
  std::span<const std::byte> memory(std::int64_t offset) const;
  // Makes the piece there, and returns its first byte, at the beginning of a page.
  std::byte* piece(std::uint64_t file, std::int64_t offset);

  // The offset in the file of the first byte of `found` that is not as it should be from `offset` on; none: all are.
  std::optional<std::int64_t> first_wrong(std::uint64_t file, std::int64_t offset, std::span<const std::byte> found);

 private:
  std::int64_t region(std::int64_t offset) const { return offset / piece_ % regions_ * region_bytes_; }

  std::uint64_t seed_;
  std::int64_t piece_;
  std::int64_t regions_;
  std::int64_t region_bytes_;
  Array<std::byte> base_;
};

}  // namespace banzuke
