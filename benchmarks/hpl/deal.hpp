// How the columns of the grid share the matrix's: in turn, in shares that are given, or by the rates of their ranks.
#pragma once

#include <vector>

#include "cyclic.hpp"
#include "hpl.hpp"

namespace banzuke::hpl {

// Throws UsageError for shares that are not valid, or not one for each of several columns of the grid.
void check_deal(const Params& params, int ranks);

// Who gets which blocks of columns, in turn. Before rates are measured, `rates` deals as `equal` does.
Turns column_turns(const Params& params);
// The part of the matrix's columns that each column of the grid has, apart from rounding to blocks.
std::vector<double> column_shares(const Params& params);

// Flops a second of every rank's products as the update has them, while all ranks measure. Takes 0.5 s and as much
// memory as a rank's part of the matrix at most.
std::vector<double> measure_rates(const Params& params, const Communicator& ranks,
                                  const std::vector<std::vector<int>>& places);
// The rate of each column of the grid as a whole: its ranks have equal rows, and wait for the slowest of them.
std::vector<double> column_rates(const Params& params, const std::vector<double>& rates);
// Column rates as a value of `deal`: shares, or `equal` where all are within 5% of the fastest.
std::string deal_by_rates(const std::vector<double>& columns);

}  // namespace banzuke::hpl
