// The figures of each test.
#pragma once

#include <vector>

#include "noise.hpp"

namespace banzuke::noise {

// These add metrics, series, distributions, conditions and checks of all ranks' lanes, complete on rank 0. Collective.
void add_fixed_work(const Communicator& ranks, const std::vector<Lane>& lanes, Result& result);
void add_fixed_time(const Communicator& ranks, const std::vector<Lane>& lanes, Result& result);

}  // namespace banzuke::noise
