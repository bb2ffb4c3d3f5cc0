// Kernel diff45: differences along v and m, as in a collision operator.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include "core/array.hpp"
#include "core/communicator.hpp"
#include "field.hpp"
#include "grid.hpp"

namespace banzuke::gkv {

class Diff45 {
 public:
  Diff45(const Params& params, const Communicator& ranks);

  // f = mode_value(kx, ky, z) s(v, p), including ghosts; invalidates the results.
  void fill(const std::function<double(double, double)>& s);
  Times run();
  Work work() const;
  std::vector<Verification> check() const;
  double working_set() const;
  std::string method() const { return kernels_.name; }

  const Grid& grid() const { return grid_; }
  const Slab& slab() const { return slab_; }
  const double* result(std::int64_t y, std::int64_t z, std::int64_t v, std::int64_t m) const {
    return out_.data() + 2 * out_layout_.at(y, z, v, m);
  }

 private:
  void as_written();
  void tuned();

  // The row of f at v (>= -2) and m (>= -2, mirrored at 0).
  const double* f(std::int64_t y, std::int64_t z, std::int64_t v, std::int64_t m) const {
    return f_.data() + 2 * layout_.at(y, z, v, m < 0 ? -m : m);
  }

  Grid grid_;
  Slab slab_;
  const Kernels& kernels_;
  Layout layout_;
  Layout out_layout_;
  Layout modes_;
  Array<double> f_;
  Array<double> out_;
  Array<double> damping_;  // for both parts of each mode
  // Coefficients of `collisions` at each v, and at each z and m.
  std::vector<std::array<double, 4>> along_v_;
  std::vector<std::array<double, 5>> along_m_;
};

}  // namespace banzuke::gkv
