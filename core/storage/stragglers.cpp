#include "core/storage/stragglers.hpp"

#include <algorithm>
#include <numeric>

#include "core/paired.hpp"

namespace banzuke {

Json slowest(const std::vector<double>& rates, const std::vector<std::string>& hosts) {
  constexpr std::size_t most = 5;
  std::vector<std::size_t> order(rates.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t rank) { return rates[rank]; });
  order.resize(std::min(order.size(), most));
  Json::Array out;
  for (const std::size_t rank : order) {
    out.push_back(
        Json::object({{"rank", static_cast<std::int64_t>(rank)}, {"host", hosts[rank]}, {"rate", rates[rank]}}));
  }
  return Json::object({{"median", median(rates)}, {"slowest", std::move(out)}});
}

Json slowest(const Communicator& ranks, double rate) {
  std::vector<double> rates(static_cast<std::size_t>(ranks.size()), 0.0);
  rates[static_cast<std::size_t>(ranks.rank())] = rate;
  ranks.sum(rates);
  const auto hosts = ranks.gather(Communicator::host());
  return ranks.rank() == 0 ? slowest(rates, hosts) : Json();
}

}  // namespace banzuke
