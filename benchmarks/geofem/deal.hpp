// How planes of nodes are dealt to the layers of ranks: by the rates of their ranks, or in given shares.
#pragma once

#include "core/deal.hpp"
#include "geofem.hpp"

namespace banzuke::geofem {

// Flop/s of every rank in iterations on a cube of its own, while all ranks measure. Takes at least 0.5 s, and no more
// memory than a rank's equal part, unless that is thinner than two planes.
std::vector<double> measure_rates(const Params& params, const Communicator& ranks);

// Measures the ranks, and returns how the layers share the nodes by it; with equal shares, nothing. Replaces `rates` in
// `params` by these shares. Collective.
Sharing share(Params& params, const Communicator& ranks);

}  // namespace banzuke::geofem
