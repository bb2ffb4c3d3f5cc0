// Places for memory modules, from the table that the firmware leaves (SMBIOS, DSP0134 3.7, structures of type 17).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace banzuke {

struct MemorySlot {
  std::string name;             // as printed on the board; may be empty
  std::optional<double> bytes;  // 0: no module is in it; none: unknown
  std::optional<double> speed;  // transfers per second that it is set to
};

// In the table's order, without places for read-only memory. What is damaged, and all after it, is left out.
std::vector<MemorySlot> memory_slots(std::string_view table);

}  // namespace banzuke
