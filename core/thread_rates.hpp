// Relative speeds of a rank's threads, by which loops can be divided: with different kinds of cores, or a core slowed
// by another program or a quota.
#pragma once

#include <vector>

#include "core/json.hpp"
#include "core/team.hpp"

namespace banzuke {

// Returns how `threads` threads of this rank's team divide a loop: equally until `share_by_rates` has found
// differences, and always equally for another number of threads than it measured.
Parts team_parts(int threads);

// Divides loops by these rates, one for each thread, from now on; equally if empty.
void share_by(std::vector<double> rates);

// Measures the threads' rates and divides loops by them from then on. All threads of all calling ranks simultaneously
// copy their own memory, because most loops divided this way are memory-bound. Takes 0.3 s. Rates that differ by less
// than 5% give equal parts.
void share_by_rates();

// thread_rates, relative to the fastest, if they were measured.
Json::Object thread_rate_conditions();

}  // namespace banzuke
