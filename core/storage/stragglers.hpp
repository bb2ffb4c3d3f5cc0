// Finds slow ranks.
#pragma once

#include <string>
#include <vector>

#include "core/communicator.hpp"
#include "core/json.hpp"

namespace banzuke {

// Returns {"median": RATE, "slowest": [{"rank": R, "host": NAME, "rate": RATE}, ...]} from rates and hosts by rank;
// slowest first, at most five.
Json slowest(const std::vector<double>& rates, const std::vector<std::string>& hosts);
// The same from every rank's own rate; collective; null on all ranks but 0.
Json slowest(const Communicator& ranks, double rate);

}  // namespace banzuke
