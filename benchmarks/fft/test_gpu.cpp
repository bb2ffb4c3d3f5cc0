// Our own passes and the library on a device, in one dimension and in three.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "core/fft/testing.hpp"
#include "core/gpu/choose.hpp"
#include "core/gpu/fft.hpp"
#include "core/testing.hpp"
#include "fft.hpp"
#include "gpu_own.hpp"

namespace banzuke::fft {
namespace {

std::unique_ptr<Fft> made(std::int64_t n, std::int64_t dimensions = 1, const std::string& transform = "own") {
  return std::make_unique<Fft>(Params{.n = n, .dimensions = dimensions, .transform = transform}, split(n, 1), alone());
}

// Returns why this device has no library; empty if it has one.
std::string no_library() {
  try {
    made(2, 1, "library");
    return "";
  } catch (const gpu::Error& error) {
    return error.what();
  }
}

double error_of(Fft& fft) {
  const std::vector<Complex> in = numbers(fft.size());
  std::ranges::copy(in, fft.in());
  fft.run();
  return relative_error(std::vector<Complex>(fft.out(), fft.out() + fft.size()), transformed(in));
}

TEST(OnDevices, OwnPassesAreTheDefinition) {
  for (const std::int64_t n : {128, 256, 384, 512, 1024, 128 * 256, 384 * 128, 30 * 1024}) {
    EXPECT_LE(error_of(*made(n)), 2e-16 * std::sqrt(std::log2(static_cast<double>(n)))) << n;
  }
}

// Long transforms, which would take minutes by the definition: each length that has its own kernel occurs as the first
// pass, the second and the last.
TEST(OnDevices, OwnPassesPassTheChecks) {
  for (const std::int64_t n : {512 * 384, 1024 * 512, 1024 * 1024, 128 * 128 * 128, 256 * 128 * 128}) {
    const auto fft = made(n);
    fft->fill();
    fft->run();
    EXPECT_LE(inverse_error(*fft, alone()), 1.0) << n;
    EXPECT_LE(pulse_error(*fft, alone()), 1.0) << n;
  }
}

// A transform on the device by passes whose roots are all from tables, or all computed.
std::vector<Complex> by_own_passes(const std::vector<Complex>& in, bool computed) {
  gpu::use_given();
  const gpu::Stream stream;
  OwnFft own(static_cast<std::int64_t>(in.size()), 1, stream);
  own.use_computed(computed);
  EXPECT_EQ(own.computed() > 0, computed);
  auto from = gpu::on_device(in, stream);
  gpu::DeviceBuffer<Complex> to(in.size());
  own.forward(from.data(), to.data());
  std::vector<Complex> out(in.size());
  gpu::download<Complex>(out, to, stream);
  return out;
}

TEST(OnDevices, ComputedRootsAreAsGoodAsTables) {
  for (const std::int64_t n : {128 * 256, 256 * 256}) {
    const std::vector<Complex> in = numbers(n);
    const auto known = transformed(in);
    for (const bool computed : {false, true}) {
      EXPECT_LE(relative_error(by_own_passes(in, computed), known), 2e-16 * std::sqrt(std::log2(1.0 * n))) << computed;
    }
  }
  // Each length that has a kernel is the first pass of one of these, which are compared with passes by tables.
  for (const std::int64_t n : {512 * 512, 1024 * 1024, 128 * 128 * 256}) {
    const std::vector<Complex> in = numbers(n);
    std::vector<Wide> known;
    for (const Complex& one : by_own_passes(in, false)) known.emplace_back(one.re, one.im);
    EXPECT_LE(relative_error(by_own_passes(in, true), known), 1e-15) << n;
  }
}

TEST(OnDevices, RootsAreComputedOnlyWhereTheirAnglesAreExact) {
  gpu::use_given();
  const gpu::Stream stream;
  const auto computed = [&](std::int64_t n, std::int64_t dimensions = 1) {
    OwnFft own(n, dimensions, stream);
    EXPECT_EQ(own.computed(), 0);
    own.use_computed(true);
    return own.computed();
  };
  EXPECT_EQ(computed(1 << 26), 2);
  EXPECT_EQ(computed(1 << 20), 1);
  EXPECT_EQ(computed(1024), 0) << "one pass has no roots between passes";
  EXPECT_EQ(computed(384 * 512), 0);
  EXPECT_EQ(computed(1 << 21, 3), 0);
}

TEST(OnDevices, TheLibraryIsTheDefinition) {
  if (const auto why = no_library(); !why.empty()) GTEST_SKIP() << why;
  for (const std::int64_t n : {2, 30, 1000, 1 << 15}) EXPECT_LE(error_of(*made(n, 1, "library")), 1e-15) << n;
}

// Transforms a cube along each of its dimensions in turn.
std::vector<Complex> transformed_cube(std::vector<Complex> x, std::int64_t edge) {
  std::vector<Complex> line(static_cast<std::size_t>(edge));
  for (std::int64_t stride = 1; stride < edge * edge * edge; stride *= edge) {
    for (std::int64_t first = 0; first < edge * edge * edge; ++first) {
      if (first / stride % edge != 0) continue;
      const auto at = [&](std::int64_t j) -> Complex& { return x[static_cast<std::size_t>(first + j * stride)]; };
      for (std::int64_t j = 0; j < edge; ++j) line[static_cast<std::size_t>(j)] = at(j);
      const std::vector<Wide> found = transformed(line);
      for (std::int64_t j = 0; j < edge; ++j) {
        const Wide& value = found[static_cast<std::size_t>(j)];
        at(j) = {static_cast<double>(value.real()), static_cast<double>(value.imag())};
      }
    }
  }
  return x;
}

TEST(OnDevices, CubesAreTheDefinition) {
  for (const std::string transform : {"own", "library"}) {
    if (transform == "library" && !no_library().empty()) continue;
    for (const std::int64_t edge : {2, 6, 15, 32}) {
      const std::int64_t n = edge * edge * edge;
      const auto fft = made(n, 3, transform);
      const std::vector<Complex> in = numbers(n);
      std::ranges::copy(in, fft->in());
      fft->run();
      std::vector<Wide> known;
      for (const Complex& one : transformed_cube(in, edge)) known.emplace_back(one.re, one.im);
      EXPECT_LE(relative_error(std::vector<Complex>(fft->out(), fft->out() + n), known), 1e-15) << edge;
    }
  }
}

TEST(OnDevices, ChecksAreOfCubesToo) {
  const auto fft = made(128 * 128 * 128, 3);
  fft->fill();
  fft->run();
  EXPECT_LE(inverse_error(*fft, alone()), 1.0);
  EXPECT_LE(pulse_error(*fft, alone(), 3), 1.0);
  EXPECT_GT(pulse_error(*fft, alone(), 1), pulse_tolerance) << "of one dimension it is another transform";
}

TEST(OnDevices, WhatTheHostWritesIsTransformedAndWhatItReadsIsNew) {
  const auto fft = made(1 << 10);
  fft->fill();
  const std::vector<Complex> in(fft->in(), fft->in() + fft->size());
  fft->run();
  const std::vector<Complex> out(fft->out(), fft->out() + fft->size());
  EXPECT_LE(relative_error(out, transformed(in)), 1e-15);
  fft->in()[3].re += 1.0;
  fft->run();
  EXPECT_GT(relative_error(std::vector<Complex>(fft->out(), fft->out() + fft->size()), transformed(in)), 1e-3);
}

TEST(OnDevices, ATransformThatIsMissingIsNotTheOneBefore) {
  const auto fft = made(1 << 10);
  fft->fill();
  fft->run();
  fft->fill();
  EXPECT_FALSE(inverse_error(*fft, alone()) <= inverse_tolerance);
}

TEST(OnDevices, LengthsAreThoseWithKernelsWhereTheyCanBe) {
  using Lengths = std::vector<std::int64_t>;
  EXPECT_EQ(own_lengths(1000, 1), Lengths{1000});
  EXPECT_EQ(own_lengths(1 << 20, 1), (Lengths{1024, 1024}));
  EXPECT_EQ(own_lengths(1 << 24, 1), (Lengths{256, 256, 256}));
  EXPECT_EQ(own_lengths(1 << 26, 1), (Lengths{256, 512, 512}));
  EXPECT_EQ(own_lengths(1 << 28, 1), (Lengths{512, 512, 1024}));
  EXPECT_EQ(own_lengths(384 * 384 * 384, 3), (Lengths{384, 384, 384}));
  EXPECT_THROW(own_lengths(std::int64_t{1} << 31, 1), UsageError);
  EXPECT_THROW(own_lengths(std::int64_t{1} << 33, 3), UsageError);
}

TEST(OnDevices, NeedTheNumbersInTheirMemory) {
  EXPECT_GE(problem({.n = 1 << 20}, 1).device_footprint, 2 * 16.0 * (1 << 20));
  EXPECT_THROW(problem({.n = 1 << 20, .dimensions = 3}, 1), UsageError);
  EXPECT_THROW(problem({.n = 1 << 20, .dimensions = 2}, 1), UsageError);
  EXPECT_THROW(problem({.n = std::int64_t{1} << 32}, 1), UsageError);
  EXPECT_NO_THROW(problem({.n = std::int64_t{1} << 32, .transform = "library"}, 1));
}

}  // namespace
}  // namespace banzuke::fft
