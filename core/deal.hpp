// One problem dealt to parts of the ranks that may differ in speed, such as the columns of a process grid, as a
// parameter `deal` says: `equal`, by measured `rates`, or in given shares (`1:3`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/communicator.hpp"
#include "core/json.hpp"
#include "core/record.hpp"

namespace banzuke {

// Returns the given shares; empty if they follow from something else. Throws UsageError; `part` is what has a share,
// for its message: "column of the grid".
std::vector<double> given_shares(const std::string& deal, const std::string& part);

// Throws UsageError unless each of the parts, `named` together ("columns of the grid"), has a share, or none is given.
// `nearest`: other calls that would be accepted.
void check_shares(const std::string& deal, std::size_t shares, std::int64_t parts, const std::string& named,
                  const std::vector<Json::Object>& nearest);

// Returns rates as a value of `deal`: shares, or `equal` if all are within 5% of the fastest.
std::string deal_by_rates(const std::vector<double>& rates);

// Work that this rank did, and the time that it took, in s.
struct Piece {
  double work = 0.0;
  double seconds = 0.0;
};

// Returns the shares of `work` with which all parts end at the same time, if each also has `others` seconds to do,
// whatever its share. No part has less than about a quarter of what the rates alone give it.
std::vector<double> shares_beside(const std::vector<double>& rates, const std::vector<double>& others, double work);

// Returns the rate of every rank while all do pieces of work of their own, for at least 0.5 s: many turns of the
// scheduler and periods of a quota. Collective; `piece` is not.
std::vector<double> rates_at_once(const std::function<Piece()>& piece, const Communicator& ranks);

// Returns the rate of each part as a whole, by the part of each rank: a part's ranks have equal work, so they wait for
// the slowest of them.
std::vector<double> rates_of_parts(const std::vector<double>& rates, const std::vector<std::size_t>& part_of_rank);

// What the ranks can do, measured before the clock starts, and how the parts share the problem by it.
struct Sharing {
  double sum = 0.0;             // of all ranks' rates
  std::vector<double> rates{};  // of the parts; empty if nothing was measured
  std::vector<double> shares{};
  bool limited = false;  // a part has more or less than its rate says, because of other rules

  // The least time for `work`, in the unit of the rates times seconds; `what` was measured, e.g. "products".
  std::vector<Bound> bounds(double work, const std::string& what) const;
  // sum_of_rates, PART_rates and PART_shares, the latter as fractions; PART_limited if so.
  Json::Object conditions(const std::string& part) const;
};

// Returns PART_seconds: where the time of each part went, by phase, in s, as means over its ranks. Of one part nothing,
// nor of so many that the record would be large. `seconds`: this rank's, of each phase. Collective.
Json::Object part_seconds(const std::string& part, std::span<const std::string_view> phases,
                          std::span<const double> seconds, const std::vector<std::size_t>& part_of_rank,
                          const Communicator& ranks);

// Returns PART_intervals: the same in each of several intervals of the run, by phase and part, for few parts, to three
// digits; without phases that took no time. `seconds`: this rank's, of each phase in each interval. Collective.
Json::Object part_intervals(const std::string& part, std::span<const std::string_view> phases,
                            std::span<const double> seconds, const std::vector<std::size_t>& part_of_rank,
                            const Communicator& ranks);

// Divides by the sum.
std::vector<double> fractions(std::vector<double> shares);

}  // namespace banzuke
