// Caches as the kernel describes them, and the data sizes that fit in them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "levels.hpp"

namespace banzuke::memory {
namespace {

constexpr std::int64_t KiB = 1024;
constexpr std::int64_t MiB = 1024 * KiB;

class Machine : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove_all(root); }

  void add(int processor, int index, const std::string& level, const std::string& type, const std::string& size,
           const std::string& shared) const {
    const auto folder = root / ("cpu" + std::to_string(processor)) / "cache" / ("index" + std::to_string(index));
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "level") << level << '\n';
    std::ofstream(folder / "type") << type << '\n';
    std::ofstream(folder / "size") << size << '\n';
    std::ofstream(folder / "shared_cpu_list") << shared << '\n';
  }

  std::filesystem::path root = std::filesystem::temp_directory_path() / ("levels-" + std::to_string(::getpid()));
};

TEST_F(Machine, HasItsCachesOfDataByLevel) {
  add(3, 0, "2", "Unified", "1024K", "3,7");
  add(3, 1, "1", "Instruction", "32K", "3,7");
  add(3, 2, "1", "Data", "48K", "3,7");
  add(3, 3, "3", "Unified", "32M", "0-7");
  const auto caches = caches_of(3, root);
  ASSERT_EQ(caches.size(), 3);
  EXPECT_EQ(caches[0].bytes, 48 * KiB);
  EXPECT_EQ(caches[1].bytes, MiB);
  EXPECT_EQ(caches[2].bytes, 32 * MiB);
  EXPECT_EQ(caches[1].shared_by, (std::vector{3, 7}));
}

TEST_F(Machine, ThatSaysNothingOrNonsenseHasNone) {
  EXPECT_TRUE(caches_of(0, root).empty());
  add(0, 0, "1", "Data", "unknown", "0");
  add(0, 1, "x", "Data", "32K", "0");
  EXPECT_TRUE(caches_of(0, root).empty());
}

TEST(Bytes, AreReadInTheKernelsNotation) {
  EXPECT_EQ(bytes_of("32K"), 32 * KiB);
  EXPECT_EQ(bytes_of("16M"), 16 * MiB);
  EXPECT_EQ(bytes_of("512"), 512);
  for (const auto* text : {"", "K", "-1K", "0", "1X", "99999999999999999999K", "9999999999G"})
    EXPECT_EQ(bytes_of(text), 0);
}

std::vector<DataCache> of_core(int core, std::int64_t last, std::vector<int> neighbours) {
  return {{1, 32 * KiB, {core}}, {2, MiB, {core}}, {3, last, std::move(neighbours)}};
}

std::vector<std::int64_t> sizes_of(const std::vector<Level>& levels) {
  std::vector<std::int64_t> sizes;
  sizes.reserve(levels.size());
  for (const Level& level : levels) sizes.push_back(level.size);
  return sizes;
}

TEST(Levels, AreHalfOfWhatAThreadHas) {
  const auto one = of_core(0, 32 * MiB, {0, 1, 2, 3});
  EXPECT_EQ(sizes_of(levels_of({one}, {0})), (std::vector{16 * KiB, 512 * KiB, 16 * MiB}));
  const auto other = of_core(1, 32 * MiB, {0, 1, 2, 3});
  EXPECT_EQ(sizes_of(levels_of({one, other}, {0, 1})), (std::vector{16 * KiB, 512 * KiB, 8 * MiB}));
}

TEST(Levels, AreThoseOfTheThreadThatHasLeast) {
  const auto levels = levels_of({of_core(0, 32 * MiB, {0}), of_core(1, 8 * MiB, {1})}, {0, 1});
  EXPECT_EQ(sizes_of(levels).back(), 4 * MiB);
  EXPECT_EQ(levels.back().name(), "l3");
}

TEST(Levels, HaveNoneThatTheCacheBeforeHoldsMostOf) {
  EXPECT_EQ(sizes_of(levels_of({of_core(0, 3 * MiB, {0})}, {0})), (std::vector{16 * KiB, 512 * KiB}));
}

TEST(Levels, AreNotKnownWithoutCaches) { EXPECT_TRUE(levels_of({{}}, {0}).empty()); }

}  // namespace
}  // namespace banzuke::memory
