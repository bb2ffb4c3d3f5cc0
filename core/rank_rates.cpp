#include "core/rank_rates.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "core/communicator.hpp"
#include "core/json.hpp"

namespace banzuke {

Json::Object rank_rate_conditions(const Communicator& ranks, const std::vector<std::pair<std::string, double>>& own) {
  if (ranks.size() == 1) return {};
  std::vector<double> largest;
  std::vector<double> negated;
  for (const auto& [metric, rate] : own) {
    largest.push_back(rate);
    negated.push_back(-rate);
  }
  std::vector<double> total = largest;
  ranks.maximum(largest);
  ranks.maximum(negated);
  ranks.sum(total);
  Json::Object rates;
  for (std::size_t i = 0; i < own.size(); ++i) {
    rates.emplace_back(
        own[i].first,
        Json::object({{"minimum", -negated[i]}, {"average", total[i] / ranks.size()}, {"maximum", largest[i]}}));
  }
  return {{"rank_rates", rates}};
}

}  // namespace banzuke
