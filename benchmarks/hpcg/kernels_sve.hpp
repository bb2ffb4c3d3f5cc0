// For the length of SVE's vectors that the including source is compiled for.
#pragma once

#include <arm_sve.h>

#include "kernels_vector.hpp"

namespace banzuke::hpcg {
namespace {

struct Sve {
  static constexpr int lanes = __ARM_FEATURE_SVE_BITS / 64;
  // Combining as many loads would be a chain of insertions.
  [[gnu::always_inline]] static Eight<lanes> gather(const double* x, const std::uint16_t* offset) {
    const svbool_t all = svptrue_b64();
    return by_register<lanes>([&](int i) {
      return Eight<lanes>::Register(svld1_gather_u64index_f64(all, x, svld1uh_u64(all, offset + lanes * i)));
    });
  }
};

}  // namespace
}  // namespace banzuke::hpcg
