#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "dmi.hpp"

namespace banzuke {
namespace {

// A structure as the firmware writes it; `length` includes the header.
class Structure {
 public:
  Structure(int type, std::size_t length) : fields_(length, '\0') {
    put(0, 1, type).put(1, 1, static_cast<long>(length));
  }

  Structure& put(std::size_t offset, std::size_t bytes, long value) {
    for (std::size_t i = 0; i < bytes; ++i) fields_.at(offset + i) = static_cast<char>(value >> (8 * i));
    return *this;
  }
  Structure& name(std::size_t offset, const std::string& text) {
    put(offset, 1, ++names_);
    strings_ += text + '\0';
    return *this;
  }
  std::string bytes() const { return fields_ + (strings_.empty() ? std::string(1, '\0') : strings_) + '\0'; }

 private:
  std::string fields_;
  std::string strings_;
  int names_ = 0;
};

constexpr std::size_t newest = 0x5C;

Structure slot(long size, std::size_t length = newest) {
  return Structure(17, length).put(0x0C, 2, size).name(0x10, "DIMM A1").name(0x11, "BANK 0").put(0x12, 1, 0x22);
}

TEST(MemorySlots, ReadsSizesAndSpeedsOfEachLength) {
  const std::string table = Structure(0, 0x18).name(0x04, "firmware").bytes() +            // strings of another kind
                            slot(0x7FFF).put(0x1C, 4, 65536).put(0x20, 2, 4800).bytes() +  // in the extended field
                            slot(16384).put(0x20, 2, 0xFFFF).put(0x58, 4, 70000).bytes() +
                            slot(0x8000 | 512).bytes() +           // KiB
                            slot(0).bytes() +                      // empty
                            slot(0xFFFF).bytes() +                 // unknown
                            slot(1024, 0x15).bytes() +             // from 2001: ends before the speed
                            slot(16).put(0x12, 1, 0x09).bytes() +  // flash
                            Structure(127, 4).bytes() + slot(1024).bytes();
  const auto slots = memory_slots(table);
  ASSERT_EQ(slots.size(), 6U);
  EXPECT_EQ(slots[0].name, "DIMM A1");
  EXPECT_EQ(slots[0].bytes, 64 * 0x1p30);
  EXPECT_EQ(slots[0].speed, 4.8e9);
  EXPECT_EQ(slots[1].speed, 7e10);
  EXPECT_EQ(slots[2].bytes, 512 * 0x1p10);
  EXPECT_EQ(slots[3].bytes, 0.0);
  EXPECT_EQ(slots[3].speed, std::nullopt);
  EXPECT_EQ(slots[4].bytes, std::nullopt);
  EXPECT_EQ(slots[5].bytes, 0x1p30);
  EXPECT_EQ(slots[5].speed, std::nullopt);
}

TEST(MemorySlots, EndsWhereTheTableIsDamaged) {
  const std::string good = slot(1024).bytes();
  EXPECT_EQ(memory_slots(good + Structure(17, 4).put(1, 1, 3).bytes() + good).size(), 1U);  // shorter than a header
  for (std::size_t cut = 0; cut < good.size(); ++cut) EXPECT_TRUE(memory_slots(good.substr(0, cut)).empty()) << cut;
  EXPECT_EQ(memory_slots(Structure(17, newest).put(0x0C, 2, 1).put(0x10, 1, 9).bytes()).at(0).name,
            "");  // no such string
}

}  // namespace
}  // namespace banzuke
