// Checks: the loops' results element by element, and how often a cycle visits each line.
#include <bit>

#include "core/random.hpp"
#include "ring.hpp"
#include "streams.hpp"

namespace banzuke::memory {

double element(std::uint64_t array, std::size_t i) {
  return static_cast<double>(1 + (mix((array << 56U) + (i + 1) * mix_step) >> 44U));
}

std::int64_t Streams::wrong() const {
  if (loop_ == Loop::load) {
    std::uint64_t expected = 0;
    for (std::size_t i = 0; i < n_; ++i) expected += std::bit_cast<std::uint64_t>(element(0, i));
    return sum_ == expected * static_cast<std::uint64_t>(passes_) ? 0 : 1;
  }
  const auto last = static_cast<double>(passes_ % numbers);
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    double expected = last;
    if (loop_ == Loop::copy) expected = element(1, i);
    if (loop_ == Loop::triad) expected = element(1, i) + last * element(2, i);
    wrong += a_[i] == expected ? 0 : 1;
  }
  return wrong;
}

std::int64_t Ring::missed() {
  for (std::int64_t line = 0; line < lines_; ++line) at(line)->visits = 0;
  Link* link = at(0);
  for (std::int64_t step = 0; step < lines_; ++step) {
    ++link->visits;
    link = link->next;
  }
  std::int64_t missed = link == at(0) ? 0 : 1;
  for (std::int64_t line = 0; line < lines_; ++line) missed += at(line)->visits == 1 ? 0 : 1;
  at_ = at(0);
  expected_ = 0;
  return missed;
}

}  // namespace banzuke::memory
