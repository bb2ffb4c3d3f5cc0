#include "layout.hpp"

#include <bit>

#include "core/random.hpp"
#include "core/storage/work_folder.hpp"

namespace banzuke::ior {

Permutation::Permutation(std::uint64_t seed, std::int64_t count)
    : seed_(mix(seed + mix_step)),
      count_(static_cast<std::uint64_t>(count)),
      half_((static_cast<unsigned>(std::bit_width(count_)) + 1) / 2) {}

std::int64_t Permutation::operator()(std::int64_t i) const {
  const std::uint64_t mask = (std::uint64_t{1} << half_) - 1;
  auto value = static_cast<std::uint64_t>(i);
  do {
    std::uint64_t left = value >> half_;
    std::uint64_t right = value & mask;
    for (std::uint64_t round = 0; round < 4; ++round) {
      const std::uint64_t next = left ^ (mix(right + seed_ + round * mix_step) & mask);
      left = right;
      right = next;
    }
    value = (left << half_) | right;
  } while (value >= count_);
  return static_cast<std::int64_t>(value);
}

Part::Part(const Params& params, int ranks, int rank, std::uint64_t seed, std::int64_t round)
    : name_(std::string(made_prefix) + (params.shared() ? "shared" : std::to_string(rank))),
      file_((static_cast<std::uint64_t>(round) << 32U) + (params.shared() ? 0 : static_cast<std::uint64_t>(rank))),
      seed_(mix(seed + file_ * mix_step + static_cast<std::uint64_t>(rank))),
      random_(params.random()),
      first_(params.shared() ? rank * params.block : 0),
      in_block_(params.block / params.transfer),
      stride_(params.shared() ? ranks * params.block : params.block),
      transfer_(params.transfer),
      written_(seed_, params.transfers()) {}

}  // namespace banzuke::ior
