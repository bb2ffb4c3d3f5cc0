#include "core/shares.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <numeric>
#include <queue>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

namespace banzuke {
namespace {

void check_rates(std::span<const double> rates) {
  const auto wrong = std::ranges::find_if(rates, [](double rate) { return !(rate > 0.0) || !std::isfinite(rate); });
  if (wrong != rates.end()) throw std::invalid_argument("a worker's rate is " + std::to_string(*wrong));
}

}  // namespace

std::vector<Strip> shares_by_rate(std::int64_t items, std::int64_t unit, std::span<const double> rates) {
  const auto workers = static_cast<std::int64_t>(rates.size());
  if (workers == 0 || unit < 1 || items < workers * unit) {
    throw std::invalid_argument(std::to_string(items) + " items cannot be shared by " + std::to_string(workers) +
                                " workers in units of " + std::to_string(unit));
  }
  check_rates(rates);
  const double total = std::accumulate(rates.begin(), rates.end(), 0.0);
  std::vector<Strip> strips;
  strips.reserve(rates.size());
  double before = 0.0;
  std::int64_t begin = 0;
  for (std::int64_t worker = 0; worker < workers; ++worker) {
    before += rates[static_cast<std::size_t>(worker)];
    const auto wanted = std::llround(before / total * static_cast<double>(items) / static_cast<double>(unit)) * unit;
    const std::int64_t most = (items / unit - (workers - 1 - worker)) * unit;  // leaves one unit for each of the others
    const std::int64_t end = worker + 1 == workers ? items : std::clamp<std::int64_t>(wanted, begin + unit, most);
    strips.push_back({begin, end});
    begin = end;
  }
  return strips;
}

std::vector<Strip> shares_of_units(std::int64_t items, std::int64_t unit, const Limits& limits,
                                   std::span<const double> rates) {
  const auto workers = static_cast<std::int64_t>(rates.size());
  check_rates(rates);
  if (items < workers * limits.least || items > workers * limits.most) {
    throw std::invalid_argument(std::to_string(items) + " items cannot be shared by " + std::to_string(workers) +
                                " workers, each with " + std::to_string(limits.least) + " to " +
                                std::to_string(limits.most));
  }
  std::vector<std::int64_t> shares(rates.size(), limits.least);
  // Each unit goes to the worker whose time with it is shortest; of several, to the first.
  using Next = std::pair<double, std::size_t>;
  std::priority_queue<Next, std::vector<Next>, std::greater<>> queue;
  const auto offer = [&](std::size_t worker) {
    if (shares[worker] + unit > limits.most) return;
    queue.emplace(static_cast<double>(shares[worker] + unit) / rates[worker], worker);
  };
  for (std::size_t worker = 0; worker < shares.size(); ++worker) offer(worker);
  for (std::int64_t left = items - workers * limits.least; left > 0; left -= unit) {
    const std::size_t worker = queue.top().second;
    queue.pop();
    shares[worker] += unit;
    offer(worker);
  }
  std::vector<Strip> strips;
  std::int64_t begin = 0;
  for (const std::int64_t share : shares) {
    strips.push_back({begin, begin + share});
    begin += share;
  }
  return strips;
}

std::vector<double> read_ratios(const std::string& text) {
  constexpr double most = 1e15;  // so that their sum is finite
  std::vector<double> ratios;
  std::istringstream parts(text + ":");  // a separator also after the last one, so that none is lost
  for (std::string part; std::getline(parts, part, ':');) {
    double ratio = 0.0;
    const char* end = part.data() + part.size();
    const auto [stop, error] = std::from_chars(part.data(), end, ratio);
    const bool positive = ratio > 0.0 && ratio < most;  // false for NaN
    if (error != std::errc{} || stop != end || !positive) {
      throw std::invalid_argument("'" + part + "' is no positive number");
    }
    ratios.push_back(ratio);
  }
  return ratios;
}

Strip Dealing::take(std::size_t worker) const {
  std::int64_t begin = next_->load();
  while (begin < items_ && !leaves(items_ - begin, worker)) {
    const std::int64_t end = begin + length(items_ - begin, worker);
    if (next_->compare_exchange_weak(begin, end)) return {begin, end};
  }
  return {items_, items_};
}

Strip Dealing::take_half(std::int64_t least) const {
  std::int64_t begin = next_->load();
  while (begin < items_) {
    const std::int64_t half = (items_ - begin + 2 * unit_ - 1) / (2 * unit_) * unit_;
    const std::int64_t end = std::min(items_, begin + std::max(least, half));
    if (next_->compare_exchange_weak(begin, end)) return {begin, end};
  }
  return {items_, items_};
}

bool Dealing::leaves(std::int64_t left, std::size_t worker) const {
  if (worker == keeper_) return false;
  const double own = static_cast<double>(std::min(left, unit_)) / rates_[worker].load(std::memory_order_relaxed);
  const std::int64_t with_its_own = left + length(left, keeper_);  // taken when at least as much was left
  return own > static_cast<double>(with_its_own) / rates_[keeper_].load(std::memory_order_relaxed);
}

std::int64_t Dealing::length(std::int64_t left, std::size_t worker) const {
  double total = 0.0;
  for (const auto& rate : rates_) total += rate.load(std::memory_order_relaxed);
  const double share = rates_[worker].load(std::memory_order_relaxed) / total;
  const double units = part_ * share * static_cast<double>(left) / static_cast<double>(unit_);
  return std::min(left, unit_ * std::max<std::int64_t>(1, std::llround(units)));
}

}  // namespace banzuke
