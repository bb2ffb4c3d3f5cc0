// How fast the threads of a rank are beside each other, where loops are to be divided by that: cores of unlike kinds,
// or one that another program or a quota slows.
#pragma once

#include <vector>

#include "core/json.hpp"
#include "core/team.hpp"

namespace banzuke {

// The parts of a loop that so many threads of this rank's team have: equal, until `share_by_rates` found that they
// differ, and for any other number of threads than it measured.
Parts team_parts(int threads);

// Divides loops by these rates, one for each thread, from now on; none: equally.
void share_by(std::vector<double> rates);

// Measures the threads' rates, by which loops are divided from then on: all threads of all ranks that call it at once
// copy memory of their own, as most loops that are divided so are bound by memory. Takes 0.3 s. Rates that differ by
// less than 5% make equal parts.
void share_by_rates();

// thread_rates, relative to the fastest, where they were measured.
Json::Object thread_rate_conditions();

}  // namespace banzuke
