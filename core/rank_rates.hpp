// Rates that ranks reach with work of their own: a figure of all ranks hides which share of them is slow.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/communicator.hpp"
#include "core/json.hpp"

namespace banzuke {

// `own`: this rank's rate by metric, in the same order on every rank. Gives rank_rates, with the least, the mean and
// the largest of each over the ranks; empty with a single rank. All ranks call it.
Json::Object rank_rate_conditions(const Communicator& ranks, const std::vector<std::pair<std::string, double>>& own);

}  // namespace banzuke
