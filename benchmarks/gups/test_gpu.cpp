// The ways to launch updates on a device, and the check there.
#include <gtest/gtest.h>

#include "core/gpu/choose.hpp"
#include "gpu_table.hpp"
#include "reference.hpp"

namespace banzuke::gups {
namespace {

TEST(OnDevices, EveryWayMakesTheSameUpdates) {
  const auto device = gpu::use_given();
  for (const std::int64_t n : {2, 1 << 16}) {
    Table table(n, device.multiprocessors);
    for (int number = 0; number < update_ways; ++number) {
      const UpdateWay& way = update_way(number);
      if (!way.exact && n == 2) continue;  // all updates in flight may change the same word, so none need be right
      table.fill();
      table.run(0, updates_of_word * n, way);
      table.run(updates_of_word * n, 12345, way, 4);  // so many that they end in the middle of a block
      std::vector<std::uint64_t> words = table.words();
      replay_words(words, updates_of_word * n + 12345);
      const auto right = static_cast<double>(tally_words(words).right);
      // If loads come before stores, an update is lost whenever two in flight change the same word. In a table as small
      // as this, a quarter of the words were right on an H200; without any updates, 2% would be.
      EXPECT_GE(right, (way.exact ? 1.0 : 0.1) * static_cast<double>(n)) << way.name << ' ' << n;
    }
  }
}

TEST(OnDevices, CountIsThatOfTheHost) {
  constexpr std::int64_t n = 1 << 14;
  Table table(n, gpu::use_given().multiprocessors);
  table.run(0, n / 8);
  const Tally tally = table.tally();
  const Tally on_host = tally_words(table.words());
  EXPECT_EQ(tally.right, on_host.right);
  EXPECT_EQ(tally.checksum, on_host.checksum);
  EXPECT_GT(tally.right, 0);
  EXPECT_LT(tally.right, n);
}

}  // namespace
}  // namespace banzuke::gups
