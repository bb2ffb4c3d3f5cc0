// What is kept of all rounds of writing, or of reading.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/application.hpp"
#include "evidence.hpp"
#include "phase.hpp"

namespace banzuke::ior {

// Seconds of each round as IOR counts them: from the first rank's start of a part to the last rank's end.
struct Parts {
  std::vector<double> open{};
  std::vector<double> transfer{};
  std::vector<double> close{};
  std::vector<double> total{};
  std::vector<double> latency{};  // mean of a rank's transfers; that of the rank with the shortest

  Json json() const {
    return Json::object({{"open", Json::array(open)},
                         {"transfer", Json::array(transfer)},
                         {"close", Json::array(close)},
                         {"total", Json::array(total)},
                         {"latency", Json::array(latency)}});
  }
};

// All rounds of writing, or of reading.
struct Timed {
  std::string_view verb;
  Metric metric{};
  Evidence evidence{.code = "", .storage = true};
  bool stopped = false;
  Json slowest{};
  Json stonewall{};
  Series series{};
  Parts parts{};

  void judge(const Evidence& found) {
    if (evidence.storage) evidence = found;  // one round without evidence of storage decides for all
  }
};

// Returns the rates over time of all ranks together, and of the rank with the lowest rate.
// A collective call.
Series series_of(const Moved& moved, std::int64_t transfer, const Communicator& ranks);

}  // namespace banzuke::ior
