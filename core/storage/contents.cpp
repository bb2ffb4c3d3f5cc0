#include "core/storage/contents.hpp"

#include <algorithm>
#include <cstring>

#include "core/random.hpp"

namespace banzuke {
namespace {

// More regions than pieces in use, so that random offsets rarely hit one in use.
std::int64_t regions_for(std::int64_t at_once) { return at_once > 1 ? 2 * at_once : 1; }

// Returns the bytes of a region beyond a piece, so that pieces can start at different pages.
std::int64_t slack_for(std::int64_t at_once) {
  constexpr std::int64_t all = std::int64_t{1} << 20U;
  return std::max<std::int64_t>(1, all / regions_for(at_once) / Contents::page) * Contents::page;
}

std::int64_t region_bytes_for(std::int64_t piece, std::int64_t at_once) {
  return (piece + Contents::page - 1) / Contents::page * Contents::page + slack_for(at_once);
}

}  // namespace

std::int64_t Contents::base_bytes(std::int64_t piece, std::int64_t at_once) {
  return regions_for(at_once) * region_bytes_for(piece, at_once);
}

Contents::Contents(std::uint64_t seed, std::int64_t piece, std::int64_t at_once)
    : seed_(mix(seed + mix_step)),
      piece_(piece),
      regions_(regions_for(at_once)),
      region_bytes_(region_bytes_for(piece, at_once)),
      base_(static_cast<std::size_t>(base_bytes(piece, at_once))) {
  for (std::int64_t at = 0; at < regions_ * region_bytes_; at += 8) {
    const std::uint64_t word = mix(seed_ + static_cast<std::uint64_t>(at / 8 + 1) * mix_step);
    std::memcpy(base_.data() + at, &word, sizeof word);
  }
}

std::span<const std::byte> Contents::memory(std::int64_t offset) const {
  return base_.span().subspan(static_cast<std::size_t>(region(offset)), static_cast<std::size_t>(region_bytes_));
}

std::byte* Contents::piece(std::uint64_t file, std::int64_t offset) {
  // Each file has its own random stream, indexed by the offset.
  const std::uint64_t stream = mix(seed_ ^ mix((file + 1) * mix_step));
  const auto starts = static_cast<std::uint64_t>((region_bytes_ - piece_) / page + 1);
  const std::uint64_t start = mix(stream ^ mix(static_cast<std::uint64_t>(offset))) % starts;
  std::byte* data = base_.data() + region(offset) + static_cast<std::int64_t>(start) * page;
  for (std::int64_t at = 0; at < piece_; at += page) {
    const std::uint64_t word = mix(stream + static_cast<std::uint64_t>(offset + at + 1) * mix_step);
    std::memcpy(data + at, &word, sizeof word);
  }
  return data;
}

std::optional<std::int64_t> Contents::first_wrong(std::uint64_t file, std::int64_t offset,
                                                  std::span<const std::byte> found) {
  const std::byte* expected = piece(file, offset);
  if (std::memcmp(found.data(), expected, found.size()) == 0) return std::nullopt;
  return offset + (std::mismatch(found.begin(), found.end(), expected).first - found.begin());
}

}  // namespace banzuke
