// A device as a group of a shared product, which here it has for itself.
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "core/gpu/runtime.hpp"
#include "core/testing.hpp"
#include "gpu_pieces.hpp"
#include "split.hpp"

namespace banzuke::dgemm {
namespace {

TEST(DeviceGroup, PiecesAreAsWideAsTransfersAreLongEnough) {
  EXPECT_EQ(columns_of_piece({.m = 16384, .n = 16384, .k = 1152}), 192);
  EXPECT_EQ(columns_of_piece({.m = 4000, .n = 4000, .k = 4000}), 768);
  EXPECT_EQ(columns_of_piece({.m = 100'000, .n = 100'000, .k = 1}), 48);
  EXPECT_EQ(columns_of_piece({.m = 1, .n = 77, .k = 1}), 77);
  EXPECT_EQ(columns_of_piece({.m = 1, .n = 77, .k = 1, .piece = 5}), 5);
  EXPECT_EQ(columns_of_piece({.m = 16384, .n = 16384, .k = 1}, 200), 144) << "two alike, and no narrow rest";
}

TEST(DeviceGroup, NeedsAAndItsPieces) {
  const Params p{.m = 100, .n = 1000, .k = 3000, .split = "adaptive", .piece = 10};
  EXPECT_EQ(problem(p, 2).device_footprint, 8.0 * (100 * 3000 + 4 * 10 * 3100));
  EXPECT_GE(problem(p, 2).footprint, 4.0 * (100 * 3000 + 3000 * 1000 + 100 * 1000));
}

TEST(DeviceGroup, MayBeAlone) {
  const Params p{.m = 100, .n = 1000, .k = 30, .split = "rates"};
  EXPECT_GT(problem(p, 1).device_footprint, 0.0);
  EXPECT_THROW(problem({.n = 47, .split = "rates"}, 1), UsageError);
}

// `home`: how the emulated device reaches the host's matrices.
void compute_all_columns(const std::string& home) {
  const std::vector<Params> shapes{
      {.m = 1, .n = 49, .k = 1, .piece = 48},
      {.m = 50, .n = 500, .k = 9, .piece = 64},
      {.m = 33, .n = 487, .k = 31, .alpha = 0.5, .beta = -0.5, .piece = 7},
      {.m = 64, .n = 256, .k = 64, .alpha = 2.0, .beta = 0.0, .piece = 50},
      {.m = 257, .n = 385, .k = 65, .overlap = "no", .piece = 96},
  };
  for (const auto& p : shapes) {
    const SharedMatrices matrices(p, alone(), 1);
    std::unique_ptr<Group> group;
    try {
      group = std::make_unique<Group>(matrices, std::vector<std::vector<int>>{{0}});
    } catch (const gpu::Error& error) {
      GTEST_SKIP() << error.what();
    }
    if (gpu::platform() == "emulated") {
      EXPECT_TRUE(group->method().starts_with(home)) << group->method();
    }
    SharedProduct product(matrices, alone(), 1.0,
                          [&](const NextBlock& next, const Finish& finish) { group->compute(next, finish); });
    product.run("equal");
    product.run("adaptive");
    EXPECT_EQ(product.miscounted(), 0);
    EXPECT_LE(product.residual(), tolerance) << p.m << 'x' << p.n << 'x' << p.k;
    EXPECT_GT(product.measure_alone().front(), 0.0);
    EXPECT_LE(product.residual(), tolerance) << p.m << 'x' << p.n << 'x' << p.k;
  }
}

TEST(DeviceGroup, ComputesAllColumnsInPieces) { compute_all_columns("in place"); }

TEST(DeviceGroup, StagesWhatTheSystemDoesNotLock) {
  setenv("BANZUKE_EMULATED_PINNING", "none", 1);
  compute_all_columns("staged");
  unsetenv("BANZUKE_EMULATED_PINNING");
}

}  // namespace
}  // namespace banzuke::dgemm
