#include "dmi.hpp"

#include <algorithm>
#include <cstdint>

namespace banzuke {
namespace {

// A structure of the SMBIOS table: fields at the offsets given in DSP0134, followed by strings.
class Structure {
 public:
  // Returns the next structure and advances `table` past it; none if the table ends or is damaged.
  static std::optional<Structure> next(std::string_view& table) {
    constexpr std::size_t header = 4;
    if (table.size() < header) return std::nullopt;
    const auto length = static_cast<unsigned char>(table[1]);
    if (length < header || table.size() < length) return std::nullopt;
    const std::string_view two_zeros("\0\0", 2);
    const auto end = table.find(two_zeros, length);
    if (end == std::string_view::npos) return std::nullopt;
    const Structure found(table.substr(0, length), table.substr(length, end - length));
    table.remove_prefix(end + two_zeros.size());
    return found;
  }

  // Returns the number in `bytes` bytes; none if the table is older and has no such field.
  std::optional<std::uint32_t> field(std::size_t offset, std::size_t bytes) const {
    if (offset + bytes > fields_.size()) return std::nullopt;
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i) {
      value |= static_cast<std::uint32_t>(static_cast<unsigned char>(fields_[offset + i])) << (8 * i);
    }
    return value;
  }

  // Returns the string whose number, counted from 1, is in the field.
  std::string text(std::size_t offset) const {
    std::string_view rest = strings_;
    for (auto number = field(offset, 1).value_or(0); number > 0 && !rest.empty(); --number) {
      const auto end = std::min(rest.find('\0'), rest.size());
      if (number == 1) return std::string(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return {};
  }

 private:
  Structure(std::string_view fields, std::string_view strings) : fields_(fields), strings_(strings) {}

  std::string_view fields_;
  std::string_view strings_;
};

// Sizes and speeds outgrew their original two-byte fields: this value refers to a four-byte one with 31 bits.
constexpr std::uint32_t more = 0xFFFF;
constexpr std::uint32_t extended_bits = 0x7FFFFFFF;

std::optional<double> size(const Structure& slot) {
  constexpr std::uint32_t in_extended = 0x7FFF;
  constexpr std::uint32_t in_kib = 0x8000;
  const auto first = slot.field(0x0C, 2);
  if (!first || *first == more) return std::nullopt;
  if (*first == in_extended) {
    const auto mebibytes = slot.field(0x1C, 4);
    if (!mebibytes) return std::nullopt;
    return static_cast<double>(*mebibytes & extended_bits) * 0x1p20;
  }
  return static_cast<double>(*first & ~in_kib) * (*first & in_kib ? 0x1p10 : 0x1p20);
}

std::optional<double> speed(const Structure& slot) {
  auto millions = slot.field(0x20, 2);
  if (millions == more) {
    millions = slot.field(0x58, 4);
    if (millions) *millions &= extended_bits;
  }
  if (!millions || *millions == 0) return std::nullopt;
  return static_cast<double>(*millions) * 1e6;
}

bool read_only(const Structure& slot) {
  constexpr std::uint32_t rom = 0x08;
  constexpr std::uint32_t eprom = 0x0C;
  const auto type = slot.field(0x12, 1).value_or(0);
  return type >= rom && type <= eprom;
}

}  // namespace

std::vector<MemorySlot> memory_slots(std::string_view table) {
  constexpr std::uint32_t memory_device = 17;
  constexpr std::uint32_t end_of_table = 127;
  std::vector<MemorySlot> slots;
  while (const auto structure = Structure::next(table)) {
    const auto type = structure->field(0, 1);
    if (type == end_of_table) break;
    if (type != memory_device || read_only(*structure)) continue;
    slots.push_back({.name = structure->text(0x10), .bytes = size(*structure), .speed = speed(*structure)});
  }
  return slots;
}

}  // namespace banzuke
