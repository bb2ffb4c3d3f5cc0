// Distributes equal items, such as the columns of a matrix, over workers of different speed: statically by known rates,
// or dynamically in strips, so that faster workers take more.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace banzuke {

// Items begin..end-1.
struct Strip {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  std::int64_t size() const { return end - begin; }
  bool operator==(const Strip&) const = default;
};

// One strip for each worker, in order, in proportion to the rates; together they cover all items. All but the last are
// multiples of `unit`, and each has at least one unit. Throws std::invalid_argument if there is less than one unit for
// each, or a rate is not positive.
std::vector<Strip> shares_by_rate(std::int64_t items, std::int64_t unit, std::span<const double> rates);

// What a worker may have at least and at most.
struct Limits {
  std::int64_t least = 0;
  std::int64_t most = 0;
};

// One strip for each worker, in order, of whole units, for units that are large beside the shares: the longest of the
// workers' times, items over rate, is as short as can be within the limits. `items` and the limits are multiples of
// `unit`. Throws std::invalid_argument if a rate is not positive, or the limits allow no such strips.
std::vector<Strip> shares_of_units(std::int64_t items, std::int64_t unit, const Limits& limits,
                                   std::span<const double> rates);

// Parses the workers' shares as a user gives them, `1:3`. Throws std::invalid_argument naming a share that is not a
// positive number.
std::vector<double> read_ratios(const std::string& text);

// Dynamic distribution of all items. The counter and the rates may be in memory shared by several processes. Lock-free:
// a stopped worker blocks no other.
class Dealing {
 public:
  // `next` must be 0 initially; `rates` has one rate for each worker, in items per second, all positive. `keeper`: the
  // worker that takes items which others leave, the same for all workers; it should be the fastest. `part`: of its
  // share of the remaining items, what a worker takes at once. With larger parts, a worker that slows down in its first
  // strip keeps the others waiting; with smaller ones, there are more strips.
  Dealing(std::int64_t items, std::int64_t unit, std::atomic<std::int64_t>& next, std::span<std::atomic<double>> rates,
          std::size_t keeper, double part = 1.0 / 3.0)
      : items_(items), unit_(unit), next_(&next), rates_(rates), keeper_(keeper), part_(part) {}

  // The next strip for this worker: a part of its share of the remaining items, so that strips shrink towards the end,
  // down to one unit. Empty if nothing is left, or so little that the keeper, after its own strip, would finish it
  // before this worker would finish one unit; so a slow worker does not keep the others waiting.
  Strip take(std::size_t worker) const;
  // Half of the remaining items in whole units, whoever takes them, but not fewer than `least` unless no more are left.
  Strip take_half(std::int64_t least) const;
  // Updates a worker's rate; later strips use it.
  void tell(std::size_t worker, double rate) const { rates_[worker].store(rate, std::memory_order_relaxed); }

 private:
  std::int64_t length(std::int64_t left, std::size_t worker) const;
  bool leaves(std::int64_t left, std::size_t worker) const;

  std::int64_t items_;
  std::int64_t unit_;
  std::atomic<std::int64_t>* next_;
  std::span<std::atomic<double>> rates_;
  std::size_t keeper_;
  double part_;
};

}  // namespace banzuke
