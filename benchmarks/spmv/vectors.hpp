// The vectors of a product in the processors' memory, and what clears their caches.
#pragma once

#include <cstdint>
#include <span>

#include "core/array.hpp"

namespace banzuke::spmv {

class Vectors {
 public:
  // y is touched first by the threads that write it, and NaN, so that a row left out is seen.
  explicit Vectors(std::int64_t rows);

  void load(std::span<const double> x) { x_ = x.data(); }
  void store(std::span<double> y) const;
  const double* x() const { return x_; }
  double* y() { return y_.data(); }

 private:
  const double* x_ = nullptr;
  Array<double> y_;
};

// Goes over more data than the caches hold.
class Flush {
 public:
  Flush();
  void operator()();

 private:
  Array<double> lines_;
};

}  // namespace banzuke::spmv
