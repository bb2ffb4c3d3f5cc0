// Eight transforms of one length at once: sum over j of x[j] exp(-2 pi i j k / n). The inverse, times n, is the same
// with re and im exchanged in what goes in and what comes out; two real series are transformed as one complex one.
#pragma once

#include <cstdint>
#include <vector>

#include "core/fft/kernels.hpp"

namespace banzuke::fft {

// The widest that this processor runs.
const Kernels& kernels();

class Batch {
 public:
  // `n` has the prime factors 2, 3 and 5 alone.
  explicit Batch(std::int64_t n);

  std::int64_t size() const { return n_; }
  // In place; output k is in x[place()[k]].
  void run(const Kernels& kernels, Lanes* x) const {
    kernels.transform(stages_.data(), static_cast<int>(stages_.size()), x);
  }
  const std::int32_t* place() const { return place_.data(); }

 private:
  std::int64_t n_;
  std::vector<std::vector<Complex>> factors_;
  std::vector<Stage> stages_;
  std::vector<std::int32_t> place_;
};

}  // namespace banzuke::fft
