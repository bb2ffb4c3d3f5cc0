// The clocks of a job's hosts: a host that is capped or throttled delays all others.
#pragma once

#include <vector>

#include "core/json.hpp"
#include "core/record.hpp"

namespace banzuke {

// `hz`: the clock of each member. A host's clock is the highest of its members', as a lower one may be that of a rank
// that was preempted. Gives clock_hz, that of the slowest host; with several hosts also clock_host and, for the fastest
// one, clock_host_fastest and clock_fastest_hz. Empty where `members` is, which only rank 0 has.
Json::Object clock_conditions(const std::vector<Member>& members, const std::vector<double>& hz);

}  // namespace banzuke
