// Equal items, such as the columns of a matrix, that workers of unlike speed share: in fixed shares by known rates, or
// dealt in strips while they work, so that whoever turns out to be faster takes more.
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

// One strip for each worker, in their order, in proportion to the rates; together they hold all items. All but the last
// are multiples of `unit`, and each has at least one unit. Throws std::invalid_argument where there are fewer items
// than a unit for each, or a rate is not positive.
std::vector<Strip> shares_by_rate(std::int64_t items, std::int64_t unit, std::span<const double> rates);

// The shares of workers as a user gives them, `1:3`. Throws std::invalid_argument naming one that is no positive
// number.
std::vector<double> read_ratios(const std::string& text);

// One deal of all items. The counter and the rates may lie in memory that several processes share: nothing is locked,
// and a worker that is stopped stops no other one.
class Dealing {
 public:
  // `next` is 0 when it begins; `rates` has one for each worker, in items a second, all above 0. `keeper`: the worker
  // who takes what others leave, the same for all of them, who should be the fastest.
  Dealing(std::int64_t items, std::int64_t unit, std::atomic<std::int64_t>& next, std::span<std::atomic<double>> rates,
          std::size_t keeper)
      : items_(items), unit_(unit), next_(&next), rates_(rates), keeper_(keeper) {}

  // The next strip for this worker: a part of its share of what is left, so that strips become shorter towards the
  // end, down to a unit. Empty when nothing is left, or so little that the keeper alone, after its own strip, will have
  // done it before this worker would have done a unit: it does not keep the others waiting.
  Strip take(std::size_t worker) const;
  // How fast a worker is now; later strips follow it.
  void tell(std::size_t worker, double rate) const { rates_[worker].store(rate, std::memory_order_relaxed); }

 private:
  std::int64_t length(std::int64_t left, std::size_t worker) const;
  bool leaves(std::int64_t left, std::size_t worker) const;

  std::int64_t items_;
  std::int64_t unit_;
  std::atomic<std::int64_t>* next_;
  std::span<std::atomic<double>> rates_;
  std::size_t keeper_;
};

}  // namespace banzuke
