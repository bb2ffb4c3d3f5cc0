// How the matrix's columns are distributed over the grid's columns: in turn, by given shares, or by the rates of their
// ranks.
#pragma once

#include <string>
#include <vector>

#include "core/deal.hpp"
#include "cyclic.hpp"
#include "hpl.hpp"

namespace banzuke::hpl {

// Throws UsageError for shares that are invalid, or not one for each of several grid columns.
void check_deal(const Params& params, int ranks);

// The owners of blocks of columns, in turn. Before rates are measured, `rates` distributes like `equal`.
Turns column_turns(const Params& params);
// The fraction of the matrix's columns in each grid column, apart from rounding to blocks.
std::vector<double> column_shares(const Params& params);

// Flop/s of every rank for products like those of the update, while all ranks measure. Takes 0.5 s and at most as much
// memory as a rank's part of the matrix.
std::vector<double> measure_rates(const Params& params, const Communicator& ranks,
                                  const std::vector<std::vector<int>>& places);
// The grid column of each rank.
std::vector<std::size_t> column_of_rank(const Params& params, int ranks);
// The rate of each grid column as a whole: its ranks have equal rows and wait for the slowest.
std::vector<double> column_rates(const Params& params, const std::vector<double>& rates);
// Like deal_by_rates, but for columns that differ also accounts for their other work, mostly messages, for which a
// column with a part of a processor's time needs that much longer. A factorisation that would take 1 s at these rates,
// or the whole one if that takes less, shows how much.
std::string deal_by_rehearsal(const Params& params, const std::vector<double>& column_rates, const Communicator& ranks,
                              const std::vector<std::vector<int>>& places);

}  // namespace banzuke::hpl
