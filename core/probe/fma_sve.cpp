#include <arm_sve.h>

#include "fma.hpp"

namespace banzuke {
namespace {

struct Sve {
  using Vector = svfloat64_t;
  static constexpr int kAccumulators = 24;  // A64FX: latency 9 x 2 units
  static Vector set(double x) { return svdup_f64(x); }
  static Vector fma(Vector acc, Vector factor, Vector term) { return svmla_f64_x(svptrue_b64(), acc, factor, term); }
  static double first(Vector v) { return svlastb_f64(svpfalse_b(), v); }
};

}  // namespace

FmaKernel fma_sve() { return make_fma<Sve>("SVE", static_cast<int>(svcntb()) * 8); }

}  // namespace banzuke
