#include "gather.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "core/random.hpp"

namespace banzuke::memory {
namespace {

constexpr std::size_t sequences = Gather::group / 2;
constexpr std::uint64_t factor = 6364136223846793005U;
constexpr std::uint64_t most_lines = std::uint64_t{1} << 32U;

std::uint64_t word_of(std::uint64_t line) { return line * mix_step + 1; }

// Calls use(number of a line) for all loads of `groups` groups, and advances the sequences.
template <class Use>
void each_line(std::array<std::uint64_t, sequences>& state, std::int64_t groups, std::uint64_t lines, Use use) {
  std::array<std::uint64_t, sequences> x = state;
  for (std::int64_t i = 0; i < groups; ++i) {
#pragma GCC unroll 8
    for (std::size_t s = 0; s < sequences; ++s) {
      x[s] = x[s] * factor + (2 * s + 1);
      use((x[s] >> 32U) * lines >> 32U);
      use((x[s] >> 8U & 0xffffffffU) * lines >> 32U);
    }
  }
  state = x;
}

std::array<std::uint64_t, sequences> begun(std::uint64_t seed) {
  std::array<std::uint64_t, sequences> state{};
  for (std::size_t s = 0; s < sequences; ++s) state[s] = mix(mix(seed) + (s + 1) * mix_step);
  return state;
}

}  // namespace

Gather::Gather(std::byte* start, std::int64_t size, std::int64_t line, std::uint64_t seed)
    : start_(start),
      lines_(std::min(static_cast<std::uint64_t>(size / line), most_lines)),
      shift_(static_cast<unsigned>(std::countr_zero(static_cast<std::uint64_t>(line)))),
      seed_(seed),
      state_(begun(seed)) {
  for (std::uint64_t i = 0; i < lines_; ++i) *reinterpret_cast<std::uint64_t*>(start_ + (i << shift_)) = word_of(i);
}

void Gather::restart(std::int64_t ahead) {
  state_ = begun(seed_);
  groups_ = 0;
  sum_ = 0;
  next_ = 0;
  ahead_.clear();
  ahead_.reserve(static_cast<std::size_t>(ahead * group));
  each_line(state_, ahead, lines_, [&](std::uint64_t line) { ahead_.push_back(line); });
}

void Gather::run(std::int64_t groups) {
  std::uint64_t sum = sum_;
  const std::byte* start = start_;
  const unsigned shift = shift_;
  const auto load = [&](std::uint64_t line) {
    sum += *reinterpret_cast<const std::uint64_t*>(start + (line << shift));
  };
  if (ahead_.empty()) {
    each_line(state_, groups, lines_, load);
  } else {
    for (std::int64_t i = 0; i < groups; ++i) {
      std::uint64_t* slot = ahead_.data() + next_;
#pragma GCC unroll 16
      for (std::size_t k = 0; k < group; ++k) load(slot[k]);
      each_line(state_, 1, lines_, [&](std::uint64_t line) {
        constexpr int read = 0;
        constexpr int second_level = 2;
        __builtin_prefetch(start + (line << shift), read, second_level);
        *slot++ = line;
      });
      next_ = next_ + group == ahead_.size() ? 0 : next_ + group;
    }
  }
  sum_ = sum;
  groups_ += groups;
}

bool Gather::wrong() const {
  std::uint64_t sum = 0;
  auto state = begun(seed_);
  each_line(state, groups_, lines_, [&](std::uint64_t line) { sum += word_of(line); });
  return sum != sum_;
}

}  // namespace banzuke::memory
