#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <string>
#include <vector>

#include "core/binding.hpp"
#include "core/testing.hpp"
#include "lu.hpp"
#include "testing.hpp"

namespace banzuke::hpl {

// Tests that need a BLAS: on processors the one that BANZUKE_BLAS names, on a device the vendor's.
class Library : public testing::Test {
 protected:
  void SetUp() override {
    if (!lacking().empty()) GTEST_SKIP() << lacking();
  }

  static const std::vector<std::vector<int>>& places() {
    static const std::vector<std::vector<int>> one{{allowed_cpus().front()}};
    return one;
  }

 private:
  static const std::string& lacking() {
    static const std::string why = [] {
      try {
        const Lu lu({.n = 1}, alone(), places());
        return std::string();
      } catch (const std::exception& error) {
        return std::string(error.what());
      }
    }();
    return why;
  }
};

}  // namespace banzuke::hpl
