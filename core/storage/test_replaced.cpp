// Functions of the C library, and those of another library that precedes it.
#include <gtest/gtest.h>

#include <array>

#include "core/storage/replaced.hpp"

namespace banzuke {
namespace {

TEST(Replaced, AreNoneHere) {
  constexpr std::array own{"fsync", "openat", "pwrite", "no_such_function"};
  EXPECT_TRUE(replaced(own).empty());
}

}  // namespace
}  // namespace banzuke
