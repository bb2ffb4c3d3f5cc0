// Rearranges numbers one by one, for instruction sets without wide shuffles.
#pragma once

#include "core/fft/kernels_vector.hpp"

namespace banzuke::fft {
namespace {

struct OneByOne {
  static void turn(const Lanes* x, const std::int32_t* place, int count, Lanes* out) {
    for (int i = 0; i < lanes; ++i) {
      for (int lane = 0; lane < lanes; ++lane) {
        out[lane].re[i] = i < count ? x[place[i]].re[lane] : 0.0;
        out[lane].im[i] = i < count ? x[place[i]].im[lane] : 0.0;
      }
    }
  }
};

}  // namespace
}  // namespace banzuke::fft
