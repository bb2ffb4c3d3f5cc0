// Eight transforms of one length at once: sum over j of x[j] exp(-2 pi i j k / n). For the inverse, times n, swap re
// and im in both input and output; two real series are transformed as one complex one.
#pragma once

#include <cstdint>
#include <vector>

#include "core/fft/kernels.hpp"

namespace banzuke::fft {

// The widest kernels that this processor can run.
const Kernels& kernels();
// All that it runs, widest first.
std::vector<const Kernels*> available_kernels();

class Batch {
 public:
  // `n` must have no prime factors other than 2, 3 and 5.
  explicit Batch(std::int64_t n);

  std::int64_t size() const { return n_; }
  // Transforms in place; output k is in x[place()[k]].
  void run(const Kernels& kernels, Lanes* x) const {
    kernels.transform(stages_.data(), static_cast<int>(stages_.size()), x);
  }
  // From other rows, or from columns: see Kernels.
  void run(const Kernels& kernels, const Lanes* in, Lanes* x) const {
    kernels.transform_rows(stages_.data(), static_cast<int>(stages_.size()), in, x);
  }
  void run(const Kernels& kernels, const Complex* in, std::int64_t stride, Lanes* x) const {
    kernels.transform_columns(stages_.data(), static_cast<int>(stages_.size()), in, stride, x);
  }
  const std::int32_t* place() const { return place_.data(); }

 private:
  std::int64_t n_;
  std::vector<std::vector<Complex>> factors_;
  std::vector<Stage> stages_;
  std::vector<std::int32_t> place_;
};

}  // namespace banzuke::fft
