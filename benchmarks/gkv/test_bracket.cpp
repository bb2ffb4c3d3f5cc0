#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <complex>
#include <vector>

#include "bracket.hpp"
#include "bracket_plane.hpp"
#include "core/fft/testing.hpp"
#include "core/testing.hpp"

namespace banzuke::gkv {
namespace {

struct Set {
  const fft::Kernels& kernels;
  const Loops& loops;
};

// Returns the loops of each instruction set that this processor runs.
std::vector<Set> sets() {
  const auto transforms = fft::available_kernels();
  const auto loops = available_loops();
  std::vector<Set> out;
  out.reserve(loops.size());
  for (std::size_t i = 0; i < loops.size(); ++i) out.push_back({*transforms[i], *loops[i]});
  return out;
}

Params params_of(std::int64_t nx, std::int64_t ny, std::int64_t nxw, std::int64_t nyw) {
  return {.kernel = "fft", .nx = nx, .ny = ny, .nz = 1, .nv = 1, .nm = 2, .nxw = nxw, .nyw = nyw};
}

// Grids with as few points as the modes need and with more; lengths that are not multiples of eight; modes in one block
// of eight and in several.
const std::vector<Params>& grids() {
  static const std::vector<Params> all{params_of(1, 1, 2, 2),    params_of(3, 2, 5, 4),    params_of(7, 4, 12, 8),
                                       params_of(8, 5, 15, 10),  params_of(10, 7, 16, 12), params_of(20, 15, 32, 24),
                                       params_of(7, 15, 15, 25), params_of(26, 3, 40, 5)};
  return all;
}

std::vector<Complex> modes(const Params& params, Field field, std::int64_t v) {
  std::vector<Complex> out;
  for (std::int64_t ky = 0; ky <= params.ny; ++ky) {
    for (std::int64_t kx = -params.nx; kx <= params.nx; ++kx) {
      const auto mode = mode_of(Data::random, field, params, {.kx = kx, .ky = ky, .z = 1, .v = v, .m = 1});
      out.push_back({mode.real(), mode.imag()});
    }
  }
  return out;
}

// Returns the largest error of a mode, at one z, v and m.
double plane_error(const Params& params, const Set& set) {
  const Plane plane(params.nx, params.ny, 2 * params.nxw, 2 * params.nyw, set.kernels, set.loops);
  Plane::Scratch scratch(plane);
  Array<Gradients> gradients(static_cast<std::size_t>(Plane::gradients(2 * params.nxw, 2 * params.nyw)));
  const auto rows = [&](auto& of) { return Rows<const Complex>{of.data(), params.ny + 1, 0}; };
  const std::vector<Complex> psi = modes(params, Field::psi, 0);
  const std::vector<Complex> chi = modes(params, Field::chi, 0);
  const std::vector<Complex> f = modes(params, Field::f, 1);
  std::vector<Complex> out(f.size(), Complex{9, 9});
  plane.keep_psi(rows(psi), gradients.data(), scratch);
  plane.keep_chi(rows(chi), gradients.data(), scratch);
  plane.bracket(rows(f), gradients.data(), velocity(params, 1), {out.data(), params.ny + 1, 0}, scratch);
  double worst = 0.0;
  auto mode = out.begin();
  for (std::int64_t ky = 0; ky <= params.ny; ++ky) {
    for (std::int64_t kx = -params.nx; kx <= params.nx; ++kx, ++mode) {
      worst = std::max(worst, sum_error(params, {.kx = kx, .ky = ky, .z = 1, .v = 1, .m = 1}, {mode->re, mode->im}));
    }
  }
  return worst;
}

TEST(Plane, AgreesWithTheSumOverAllPairsOfModes) {
  for (const Set& set : sets()) {
    for (const Params& params : grids()) {
      EXPECT_LE(plane_error(params, set), 1.0) << set.loops.name << ", nx " << params.nx << ", ny " << params.ny;
    }
  }
}

TEST(Plane, WithTooFewPointsFoldsProductsOntoModes) {
  EXPECT_LE(plane_error(params_of(8, 5, 15, 10), sets().front()), 1.0);
  EXPECT_GT(plane_error(params_of(8, 5, 12, 10), sets().front()), bracket_tolerance);
  EXPECT_GT(plane_error(params_of(8, 6, 15, 9), sets().front()), bracket_tolerance);
}

bool passed(const std::vector<Verification>& checks) {
  return std::ranges::all_of(checks, [](const Verification& check) { return check.passed(); });
}

TEST(Bracket, IsVerifiedWithAnyNumberOfThreads) {
  const int threads = omp_get_max_threads();
  for (int few = 1; few <= 4; ++few) {
    omp_set_num_threads(few);
    for (Params params : {params_of(3, 2, 5, 4), params_of(10, 7, 16, 12)}) {
      params.nz = 2;
      params.nv = 2;
      Bracket bracket(params, alone());
      const Times times = bracket.run();
      for (const double part : times.parts) EXPECT_GE(part, 0.0);
      EXPECT_GE(times.overlapped, 0.0);
      EXPECT_TRUE(passed(bracket.check())) << few << " threads, nx " << params.nx << ", ny " << params.ny;
    }
  }
  omp_set_num_threads(threads);
}

TEST(Check, SeesOneWrongMode) {
  Bracket bracket(params_of(3, 2, 5, 4), alone());
  bracket.run();
  bracket.result()[bracket.size() / 2].im += 1e-10;
  EXPECT_FALSE(bracket.check().front().passed());
  bracket.fill(Data::random);
  bracket.run();
  EXPECT_TRUE(bracket.check().front().passed());
}

// At a mode that is not real, the known product passes, and its negative does not.
TEST(Check, KnowsTheBracketOfTwoModes) {
  const Params params = params_of(3, 2, 5, 4);
  const Mode at{.kx = 0, .ky = 1, .z = 1, .v = 0, .m = 2};  // (3, 2) - (3, 1)
  Mode first = at;
  first.kx = 3;
  first.ky = 2;
  Mode second = at;
  second.kx = -3;
  second.ky = -1;
  const auto mode = [&](Field field, Mode of) {
    if (field != Field::f) of.v = 0;
    return mode_of(Data::two_modes, field, params, of);
  };
  const std::complex<double> psi = mode(Field::psi, first) - velocity(params, 0) * mode(Field::chi, first);
  // (i 3) (-i 1) - (i 2) (-i 3)
  const std::complex<double> known = -3.0 * psi * mode(Field::f, second);
  EXPECT_LE(product_error(params, at, known), 1.0);
  EXPECT_GT(product_error(params, at, -known), bracket_tolerance);
}

TEST(Work, AgreesWithCountingByHand) {
  // 7 x 3 modes, 16 x 8 points, 2 z, 2 v, 3 m.
  const Params params = params_of(3, 2, 8, 4);
  constexpr double transform = 5.0 * 3 * 16 * 4 + 2.5 * 16 * 8 * 3;
  constexpr double gradient = 2 * transform + 4 * 21;
  EXPECT_EQ(bracket_flops(params), 6 * (2 * (gradient + 7 * 128 + transform + 2 * 21) + 2 * gradient));
  const Work work = Bracket(params, alone()).work();
  EXPECT_EQ(work.counted, 21 * 2 * 2 * 3);
  EXPECT_EQ(demanded(work, "flops.fp64"), bracket_flops(params));
  EXPECT_EQ(demanded(work, "memory.bytes"), 16 * (2 * 21 * 12 + 2 * 21 * 6));
  EXPECT_EQ(demanded(work, "link.bytes"), 0);
}

TEST(Dealt, BlocksCoverAllOnce) {
  const Params params = params_of(3, 9, 5, 15);
  for (int ranks = 1; ranks <= 8; ++ranks) {
    const Dealt dealt(params, ranks);
    std::int64_t rows = 0;
    std::int64_t planes = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      rows += dealt.count(rank);
      planes += dealt.planes(rank);
    }
    EXPECT_EQ(rows, 10);
    EXPECT_EQ(planes, 6);
  }
}

}  // namespace
}  // namespace banzuke::gkv
