// How planes of points are dealt to the layers of ranks: by the rates of their ranks, or in given shares.
#pragma once

#include "core/deal.hpp"
#include "grid.hpp"

namespace banzuke::hpcg {

// Throws UsageError unless each layer of the chosen process grid can have the share that `deal` gives it.
void check_deal(const Params& params, int ranks);

// What the rank with the largest box needs, with the process grid chosen. Throws UsageError for a box that the backend
// cannot have.
Problem memory_of_largest(const Params& params, int ranks);

// Flop/s of every rank in iterations on a box of its own, while all ranks measure. Takes at least 0.5 s, and no more
// memory than an equal box.
std::vector<double> measure_rates(const Params& params, const Communicator& ranks);

// Measures the ranks, and returns how the layers share the planes by it; with equal shares, nothing. Replaces `rates`
// in `params` by these shares. Collective.
Sharing share_planes(Params& params, const Communicator& ranks);

}  // namespace banzuke::hpcg
