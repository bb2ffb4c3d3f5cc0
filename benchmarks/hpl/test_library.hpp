#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "core/binding.hpp"

namespace banzuke::hpl {

// Tests that need a BLAS.
class Library : public testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("BANZUKE_BLAS") == nullptr) GTEST_SKIP() << "BANZUKE_BLAS names no library";
  }

  static const std::vector<std::vector<int>>& places() {
    static const std::vector<std::vector<int>> one{{allowed_cpus().front()}};
    return one;
  }
};

}  // namespace banzuke::hpl
