// Kernel diff123: differences along kx, ky and z, and along v for the mirror force, as in a streaming term.
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

class Diff123 {
 public:
  Diff123(const Params& params, const Communicator& ranks);

  // f = moment_value(m) s[0](x) s[1](y) s[2](z) s[3](v), including ghosts; invalidates the results.
  void fill(const std::array<std::function<double(double)>, 4>& s);
  Times run();
  Work work() const;
  std::vector<Verification> check() const;
  double working_set() const;
  std::string method() const { return kernels_.name; }

  const Grid& grid() const { return grid_; }
  const Slab& slab() const { return slab_; }
  int dimensions() const { return static_cast<int>(grid_.params().along.size()); }
  const double* result(std::int64_t y, std::int64_t z, std::int64_t v, std::int64_t m) const {
    return out_.data() + 2 * out_layout_.at(y, z, v, m);
  }

 private:
  void as_written();
  void tuned();
  StreamingBlock streams(std::int64_t rows, int planes, const std::array<std::int64_t, 4>& at);

  const double* f(std::int64_t y, std::int64_t z, std::int64_t v, std::int64_t m) const {
    return f_.data() + 2 * layout_.at(y, z, v, m);
  }

  Grid grid_;
  Slab slab_;
  const Kernels& kernels_;
  Layout layout_;
  Layout out_layout_;
  Array<double> f_;
  Array<double> out_;
};

}  // namespace banzuke::gkv
