// The check of a table in host memory.
#pragma once

#include <span>

#include "gups.hpp"

namespace banzuke::gups {

// Repeats the updates with all threads, in blocks of a different loop than the timed one: each jumps into the sequence
// separately. A word that got all of its updates returns to its initial value.
void replay_words(std::span<std::uint64_t> table, std::int64_t updates);

// `first`: index of the first word, for part of a table.
Tally tally_words(std::span<const std::uint64_t> table, std::uint64_t first = 0);

}  // namespace banzuke::gups
