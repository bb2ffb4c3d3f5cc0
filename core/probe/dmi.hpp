// Memory slots, from the firmware's table (SMBIOS, DSP0134 3.7, structures of type 17).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace banzuke {

struct MemorySlot {
  std::string name;             // as printed on the board; may be empty
  std::optional<double> bytes;  // 0: no module installed; none: unknown
  std::optional<double> speed;  // configured transfers per second
};

// Returns the slots in the table's order, without those for read-only memory. A damaged structure, and everything after
// it, is left out.
std::vector<MemorySlot> memory_slots(std::string_view table);

}  // namespace banzuke
