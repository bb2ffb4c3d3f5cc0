// The vectors of a product in host memory, and flushing of the caches.
#pragma once

#include <cstdint>
#include <span>

#include "core/array.hpp"

namespace banzuke::spmv {

class Vectors {
 public:
  // y is first-touched by the threads that write it, and set to NaN, so that a missing row is detected.
  explicit Vectors(std::int64_t rows);

  void load(std::span<const double> x) { x_ = x.data(); }
  void store(std::span<double> y) const;
  const double* x() const { return x_; }
  double* y() { return y_.data(); }

 private:
  const double* x_ = nullptr;
  Array<double> y_;
};

// Writes more data than the caches hold.
class Flush {
 public:
  Flush();
  void operator()();

 private:
  Array<double> lines_;
};

}  // namespace banzuke::spmv
