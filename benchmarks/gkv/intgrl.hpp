// Kernel intgrl: velocity integrals of f, and their average over z.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/array.hpp"
#include "core/communicator.hpp"
#include "field.hpp"
#include "grid.hpp"

namespace banzuke::gkv {

class Intgrl {
 public:
  Intgrl(const Params& params, const Communicator& ranks);

  // f = mode_value(kx, ky, z) s(z, v, m), with v counted over all ranks.
  void fill(const std::function<double(std::int64_t, std::int64_t, std::int64_t)>& s);
  Times run();
  Work work() const;
  std::vector<Verification> check() const;
  double working_set() const;
  std::string method() const { return kernels_.name; }

  const Grid& grid() const { return grid_; }
  const Slab& slab() const { return slab_; }
  // The moment over this rank's v at (kx, ky, z), and its average over z at (kx, ky).
  const double* moment(std::int64_t y, std::int64_t z) const { return moment_.data() + 2 * modes_.at(y, z, 0, 0); }
  const double* average(std::int64_t y) const { return average_.data() + 2 * modes_.at(y, 0, 0, 0); }

 private:
  void as_written();
  void tuned();
  void average();

  Grid grid_;
  Slab slab_;
  const Kernels& kernels_;
  Layout layout_;
  Layout modes_;
  Array<double> f_;
  Array<double> moment_;
  Array<double> average_;
};

}  // namespace banzuke::gkv
