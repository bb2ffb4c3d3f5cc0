// File contents that no file system can compress or deduplicate, and that identify where they belong.
//
// A base of random words is generated once, in memory. Each piece is a part of it that starts at a page chosen by file
// and offset, with the first word of each page replaced by a unique one. So every word depends on seed, file and
// offset, nothing repeats within a piece, and making a piece while timed takes some nanoseconds per page. No more words
// must be replaced: data that the processor has just written to its caches reaches a disk more slowly.
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

  // Makes pieces of `piece` bytes, a multiple of 8, at offsets that are multiples of it; up to `at_once` pieces may be
  // in use at the same time.
  Contents(std::uint64_t seed, std::int64_t piece, std::int64_t at_once = 1);

  static std::int64_t base_bytes(std::int64_t piece, std::int64_t at_once);

  // Returns the memory in which the piece at `offset` is made; no other piece there may still be in use.
  std::span<const std::byte> memory(std::int64_t offset) const;
  // Makes the piece there and returns a pointer to its first byte, which is page-aligned.
  std::byte* piece(std::uint64_t file, std::int64_t offset);

  // Returns the file offset of the first wrong byte of `found`, which was read at `offset`; none if all are right.
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
