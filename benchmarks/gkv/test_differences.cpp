#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "core/testing.hpp"
#include "diff123.hpp"
#include "diff45.hpp"
#include "intgrl.hpp"
#include "kernel_choice.hpp"
#include "samples.hpp"

namespace banzuke::gkv {
namespace {

// Shapes whose rows are not multiples of vectors and blocks, with the fewest points, and with an odd number of
// velocities in a rank's part.
const std::vector<Params>& shapes() {
  static const std::vector<Params> all{{.nx = 1, .ny = 1, .nz = 1, .nv = 1, .nm = 2},
                                       {.nx = 3, .ny = 2, .nz = 2, .nv = 3, .nm = 4},
                                       {.nx = 10, .ny = 4, .nz = 3, .nv = 5, .nm = 3},
                                       {.nx = 64, .ny = 9, .nz = 1, .nv = 2, .nm = 2},
                                       {.nx = 40, .ny = 70, .nz = 1, .nv = 2, .nm = 5}};
  return all;
}

// Calls test(params) for each shape, variant and number of threads.
template <class Test>
void for_all(Test test) {
  const int threads = omp_get_max_threads();
  for (const int wanted : {1, 2, 3, 4}) {
    omp_set_num_threads(wanted);
    for (const Params& shape : shapes()) {
      for (const char* variant : {"default", "opt"}) {
        Params params = shape;
        params.variant = variant;
        test(params);
      }
    }
  }
  omp_set_num_threads(threads);
}

template <class Kernel>
void expect_verified(const Params& params) {
  Kernel kernel(params, alone());
  kernel.run();
  for (const Verification& check : kernel.check()) {
    EXPECT_TRUE(check.passed()) << check.text() << "; " << params.variant << ", nx " << params.nx << ", nm "
                                << params.nm << ", moment " << params.moment << ", along " << params.along << ", "
                                << omp_get_max_threads() << " threads";
  }
}

TEST(Intgrl, IsVerifiedInBothVariantsWithAnyShapeAndThreads) {
  for_all([](Params params) {
    for (params.moment = 0; params.moment <= 2; ++params.moment) expect_verified<Intgrl>(params);
  });
}

TEST(Diff45, IsVerifiedInBothVariantsWithAnyShapeAndThreads) { for_all(expect_verified<Diff45>); }

TEST(Diff123, IsVerifiedInBothVariantsWithAnyShapeAndThreads) {
  for_all([](Params params) {
    for (const char* along : {"1", "12", "123"}) {
      params.along = along;
      expect_verified<Diff123>(params);
    }
  });
}

// Returns the largest difference between the two variants, relative to the largest value.
template <class Kernel, class Rows>
double between_variants(Params params, Rows rows) {
  params.variant = "default";
  Kernel written(params, alone());
  written.run();
  params.variant = "opt";
  Kernel tuned(params, alone());
  tuned.run();
  double difference = 0.0;
  double size = 0.0;
  rows(params, [&](auto row) {
    const double* a = row(written);
    const double* b = row(tuned);
    for (std::int64_t i = 0; i < 2 * shape_of(params).kx; ++i) {
      difference = std::max(difference, std::abs(a[i] - b[i]));
      size = std::max(size, std::abs(a[i]));
    }
  });
  return difference / size;
}

template <class Kernel>
double between_variants_of_differences(const Params& params) {
  return between_variants<Kernel>(params, [](const Params& p, auto compare) {
    const Shape all = shape_of(p);
    for (std::int64_t m = 0; m < all.m; ++m) {
      for (std::int64_t v = 0; v < all.v; ++v) {
        for (std::int64_t z = 0; z < all.z; ++z) {
          for (std::int64_t y = 0; y < all.ky; ++y) {
            compare([=](const Kernel& kernel) { return kernel.result(y, z, v, m); });
          }
        }
      }
    }
  });
}

TEST(Variants, GiveTheSame) {
  const Params params{.nx = 21, .ny = 6, .nz = 4, .nv = 7, .nm = 6};
  EXPECT_LE(between_variants_of_differences<Diff45>(params), 1e-14);
  EXPECT_LE(between_variants_of_differences<Diff123>(params), 1e-14);
  EXPECT_LE(between_variants<Intgrl>(params,
                                     [](const Params& p, auto compare) {
                                       for (std::int64_t z = 0; z < 2 * p.nz; ++z) {
                                         for (std::int64_t y = 0; y <= p.ny; ++y) {
                                           compare([=](const Intgrl& kernel) { return kernel.moment(y, z); });
                                         }
                                       }
                                     }),
            1e-14);
}

// Returns the error of a moment of a Maxwell distribution: the integral over all velocities is 1, as is that of its
// second moment, and that of the first is 0. The error of the sum over m decreases with the sixth power of the step.
double maxwell_error(std::int64_t nm, std::int64_t moment, double expected) {
  const Params params{.nx = 1, .ny = 1, .nz = 1, .nv = 40, .nm = nm, .moment = moment};
  Intgrl kernel(params, alone());
  const Grid& grid = kernel.grid();
  // Narrow enough that the part outside the box does not matter.
  constexpr double width = 0.6;
  kernel.fill([&](std::int64_t z, std::int64_t v, std::int64_t m) {
    const double along = grid.v(v) / width;
    const double across = grid.p(z, m) / width;
    return std::exp(-0.5 * (along * along + across * across)) / std::pow(2.0 * std::numbers::pi, 1.5) /
           std::pow(width, 3.0 + static_cast<double>(moment));
  });
  kernel.run();
  double worst = 0.0;
  for (std::int64_t z = 0; z < 2; ++z) {
    const Value g = mode_value(shape_of(params), 0, 0, z);
    worst = std::max(worst, std::abs(kernel.moment(0, z)[0] / g.re - expected));
  }
  return worst;
}

TEST(Intgrl, IntegratesAMaxwellDistribution) {
  EXPECT_LE(maxwell_error(64, 0, 1.0), 1e-6);
  EXPECT_LE(maxwell_error(64, 1, 0.0), 1e-12);
  EXPECT_LE(maxwell_error(64, 2, 1.0), 1e-6);
  const double ratio = maxwell_error(16, 0, 1.0) / maxwell_error(32, 0, 1.0);
  EXPECT_GT(ratio, 45.0);
  EXPECT_LT(ratio, 90.0);
}

// Returns the error for a Maxwell distribution, which collisions do not change except for the damping of its modes. It
// decreases with the fourth power of the step.
double collision_error(std::int64_t n) {
  const Params params{.nx = 1, .ny = 1, .nz = 1, .nv = n, .nm = n};
  Diff45 kernel(params, alone());
  const Grid& grid = kernel.grid();
  const auto maxwell = [](double v, double p) { return std::exp(-0.5 * (v * v + p * p)); };
  kernel.fill(maxwell);
  kernel.run();
  double worst = 0.0;
  const Shape all = shape_of(params);
  for (std::int64_t z = 0; z < all.z; ++z) {
    for (std::int64_t m = 0; m < all.m; ++m) {
      for (std::int64_t v = 0; v < all.v; ++v) {
        const Value g = mode_value(all, 2, 1, z);
        const double damped = grid.damping(2, 1, z) * maxwell(grid.v(v), grid.p(z, m));
        worst = std::max(worst, std::abs(kernel.result(1, z, v, m)[4] / g.re + damped));
      }
    }
  }
  return worst;
}

TEST(Diff45, IsOfFourthOrderAndKeepsAMaxwellDistribution) {
  EXPECT_LE(collision_error(64), 1e-4);
  const double ratio = collision_error(32) / collision_error(64);
  EXPECT_GT(ratio, 13.0);
  EXPECT_LT(ratio, 19.0);
}

// Returns the error for waves along one dimension that are constant along the others; the exact result is -speed times
// the derivative.
double streaming_error(const Params& params, int dimension) {
  Diff123 kernel(params, alone());
  const auto one = [](double) { return 1.0; };
  const auto wave = [](double x) { return std::sin(2.0 * x); };
  std::array<std::function<double(double)>, 4> s{one, one, one, one};
  s.at(static_cast<std::size_t>(dimension)) = wave;
  kernel.fill(s);
  kernel.run();
  const Grid& grid = kernel.grid();
  const Shape all = shape_of(params);
  double worst = 0.0;
  for (std::int64_t v = 0; v < all.v; ++v) {
    for (std::int64_t z = 0; z < all.z; ++z) {
      for (std::int64_t y = 0; y < all.ky; ++y) {
        for (std::int64_t x = 0; x < all.kx; ++x) {
          const std::array speeds{-Grid::speed_x, -Grid::speed_y, -grid.v(v), grid.mirror(z, 1)};
          const std::array at{grid.x(x), grid.y(y), grid.z(z), grid.v(v)};
          const auto d = static_cast<std::size_t>(dimension);
          // The effect of hyperdiffusion on a wave is known, too.
          const double fourth = std::pow(2.0 - 2.0 * std::cos(2.0 * grid.dz()), 2);
          const double expected = speeds.at(d) * 2.0 * std::cos(2.0 * at.at(d)) -
                                  (dimension == 2 ? Grid::hyperdiffusion * fourth * wave(at[2]) : 0.0);
          worst = std::max(worst, std::abs(kernel.result(y, z, v, 1)[2 * x] / moment_value(1).re - expected));
        }
      }
    }
  }
  return worst;
}

TEST(Diff123, IsOfFourthOrderAndOfFifthAlongTheField) {
  for (const char* variant : {"default", "opt"}) {
    const auto params = [&](std::int64_t n, int d) {
      const auto along = [&](int dimension) { return dimension == d ? n : 2; };
      return Params{.variant = variant, .nx = along(0), .ny = along(1), .nz = along(2), .nv = along(3), .nm = 2};
    };
    for (const int d : {0, 1, 2, 3}) {
      const double ratio = streaming_error(params(16, d), d) / streaming_error(params(32, d), d);
      EXPECT_GT(ratio, d == 2 ? 26.0 : 13.0) << "dimension " << d + 1;
      EXPECT_LT(ratio, d == 2 ? 38.0 : 19.0) << "dimension " << d + 1;
    }
  }
}

// Compares each instruction set with the plain loops, for one plane at a time and for several.
TEST(Kernels, AgreeForEveryInstructionSet) {
  constexpr std::int64_t count = 48;
  constexpr std::int64_t step = 96;
  std::vector<double> data(256 * step);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = uniform(6, i);
  const double* f = data.data() + 128 * step;
  const auto collide = [&](const Kernels& kernels, int planes, double* out) {
    CollisionBlock block{.f = f,
                         .out = out,
                         .step_v = 7 * step,
                         .step_m = step,
                         .out_step_v = 3 * count,
                         .out_step_m = count,
                         .moments = 3,
                         .planes = planes,
                         .of_v = {},
                         .of_m = data.data(),
                         .damp = data.data() + step,
                         .fresh = f,
                         .fresh_planes = planes + 4,
                         .next = f,
                         .next_planes = 1};
    std::copy_n(data.data() + 50, sizeof block.of_v / sizeof(double), &block.of_v[0][0]);
    kernels.collisions(block, count);
  };
  const auto flow = [&](const Kernels& kernels, std::size_t dimensions, int planes, double* out) {
    StreamingBlock block{.f = f,
                         .out = out,
                         .step_y = step,
                         .step_z = -5 * step,
                         .step_v = 24 * step,
                         .out_step_y = count,
                         .out_step_z = 2 * count,
                         .rows = 2,
                         .planes = planes,
                         .x = {0.7, -0.3},
                         .y = {0.4, 0.2},
                         .v = {},
                         .z = {0.1, -0.2, 0.6, 0.9, -0.4, 0.8}};
    std::copy_n(data.data(), together, block.v);
    kernels.streaming[dimensions - 1](block, count);
  };
  const auto run = [&](const Kernels& kernels) {
    std::vector<double> all;
    const auto keep = [&](const auto& kernel) {
      alignas(64) std::array<double, 12 * count> out{};
      kernel(out.data());
      kernels.fence();
      all.insert(all.end(), out.begin(), out.end());
    };
    for (const int planes : {1, together}) {
      keep([&](double* out) { collide(kernels, planes, out); });
      for (const std::size_t d : {1, 2, 3}) keep([&](double* out) { flow(kernels, d, planes, out); });
    }
    keep([&](double* out) {
      const std::array rows{f, f + step, f + 2 * step, f + 3 * step};
      kernels.add(out, rows.data(), data.data(), count);
    });
    return all;
  };
  const auto expected = run(plain_kernels);
  EXPECT_TRUE(std::ranges::all_of(expected, [](double value) { return std::isfinite(value); }));
  EXPECT_GT(std::ranges::count_if(expected, [](double value) { return value != 0.0; }), 9 * count);
  for (const Kernels* kernels : available_kernels()) {
    const auto found = run(*kernels);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-13) << kernels->name;
  }
}

// The check detects points that a run leaves out, because they are NaN.
TEST(Check, SeesWhatWasLeftOut) {
  const Params params{.nx = 3, .ny = 2, .nz = 2, .nv = 3, .nm = 4};
  EXPECT_FALSE(Intgrl(params, alone()).check().front().passed());
  EXPECT_FALSE(Diff45(params, alone()).check().front().passed());
  EXPECT_FALSE(Diff123(params, alone()).check().front().passed());
}

TEST(Check, SeesAnotherFunction) {
  const Params params{.nx = 3, .ny = 2, .nz = 2, .nv = 3, .nm = 4};
  Diff45 collisions(params, alone());
  collisions.fill([](double v, double p) { return v * p * p; });
  collisions.run();
  EXPECT_FALSE(collisions.check().front().passed());
  Intgrl integrals(params, alone());
  integrals.fill([](std::int64_t, std::int64_t, std::int64_t) { return 1.0; });
  integrals.run();
  for (const Verification& check : integrals.check()) EXPECT_FALSE(check.passed());
}

TEST(Work, OfTheKernelsTwoToFourAgreesWithCountingByHand) {
  const Params params{.nx = 1, .ny = 1, .nz = 1, .nv = 2, .nm = 2};  // 3 x 2 x 2 x 4 x 3 points
  const double points = 144.0;
  EXPECT_EQ(Intgrl(params, alone()).work().counted, points);
  EXPECT_EQ(demanded(Intgrl(params, alone()).work(), "memory.loads"), 16.0 * 96.0);
  // 12 modes: 4 v at 5 m, and 4 more v at 3 m.
  EXPECT_EQ(demanded(Diff45(params, alone()).work(), "memory.loads"), 16.0 * 12.0 * (20.0 + 12.0));
  EXPECT_EQ(demanded(Diff45(params, alone()).work(), "memory.bytes"), 16.0 * (12.0 * 32.0 + points));
  const double faces = 4.0 / 3.0 + 4.0 / 2.0 + 6.0 / 2.0 + 1.0;
  EXPECT_DOUBLE_EQ(demanded(Diff123(params, alone()).work(), "memory.loads"), 16.0 * points * (1.0 + faces));
}

}  // namespace
}  // namespace banzuke::gkv
