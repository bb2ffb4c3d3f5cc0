// The check of a table in the host's memory.
#pragma once

#include <span>

#include "gups.hpp"

namespace banzuke::gups {

// Makes the updates again by all threads, in blocks of another loop than the timed one: each jumps into the sequence
// for itself. A word that had all of its updates is what it was at first.
void replay_words(std::span<std::uint64_t> table, std::int64_t updates);

// `first`: the index of the first word, where there is a part of a table.
Tally tally_words(std::span<const std::uint64_t> table, std::uint64_t first = 0);

}  // namespace banzuke::gups
