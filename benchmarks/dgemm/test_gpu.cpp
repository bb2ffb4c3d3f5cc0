// Products on a device by its vendor's library; of the emulated device by loops that stand in for it.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/gpu/runtime.hpp"
#include "dgemm.hpp"

namespace banzuke::dgemm {
namespace {

// Why the device's library cannot be called; empty: it can.
std::string no_library() {
  try {
    const Dgemm dgemm({.m = 1, .n = 1, .k = 1}, {{0}});
    return "";
  } catch (const gpu::Error& error) {
    return error.what();
  }
}

TEST(OnDevices, EveryCallAddsItsProduct) {
  if (const auto why = no_library(); !why.empty()) GTEST_SKIP() << why;
  const std::vector<Params> shapes{
      {.m = 1, .n = 1, .k = 1},
      {.m = 1, .n = 17, .k = 3},
      {.m = 50, .n = 1, .k = 9},
      {.m = 130, .n = 70, .k = 1},
      {.m = 33, .n = 65, .k = 31, .alpha = 0.5, .beta = -0.5},
      {.m = 64, .n = 64, .k = 64, .alpha = 2.0, .beta = 0.0},
      {.m = 20, .n = 30, .k = 40, .alpha = 0.0, .beta = 1.0},
      {.m = 257, .n = 129, .k = 65},
      {.m = 3, .n = 1025, .k = 1030},
  };
  for (const auto& p : shapes) {
    Dgemm dgemm(p, {{0}});
    EXPECT_GT(dgemm.run(), 0.0);
    dgemm.run();
    EXPECT_LE(dgemm.residual(2), tolerance) << p.m << 'x' << p.n << 'x' << p.k;
    if (p.alpha != 0.0 && p.beta != 0.0) {
      const double missing = dgemm.residual(3);
      EXPECT_GT(missing, tolerance) << "a call that is missing";
      EXPECT_NEAR(missing / residual(p, 3, dgemm.result()), 1.0, 1e-9) << "what the host finds";
    }
    dgemm.reset();
    dgemm.run();
    EXPECT_LE(dgemm.residual(1), tolerance) << "after a reset";
  }
}

TEST(OnDevices, NameTheirLibrary) {
  if (const auto why = no_library(); !why.empty()) GTEST_SKIP() << why;
  const Dgemm dgemm({.m = 2, .n = 2, .k = 2}, {{0}});
  ASSERT_EQ(dgemm.software().front().first, "blas");
  EXPECT_NE(dgemm.software().front().second.dump(), "\"\"");
}

TEST(OnDevices, NeedTheMatricesAndTheChecksSumsInTheirMemory) {
  const Problem needed = problem({.m = 100, .n = 200, .k = 3000}, 1);
  EXPECT_EQ(needed.device_footprint, 8.0 * (100 * 3000 + 3000 * 200 + 100 * 200 + 3000 * (1 + 6)));
  EXPECT_GE(needed.footprint, 8.0 * 3000 * (1 + 6));
}

}  // namespace
}  // namespace banzuke::dgemm
