// Whatever the firmware's table contains, the memory slots read from it are valid.
#include <cmath>
#include <cstdint>
#include <string_view>

#include "core/fuzz/demand.hpp"
#include "dmi.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view table(reinterpret_cast<const char*>(data), size);
  constexpr std::size_t least = 6;  // bytes of a structure
  const auto slots = banzuke::memory_slots(table);
  banzuke::demand(slots.size() * least <= size, "no more places than the table has room for");
  for (const auto& slot : slots) {
    banzuke::demand(slot.name.size() < size, "a name is a part of the table");
    banzuke::demand(slot.bytes.value_or(0.0) >= 0.0 && slot.bytes.value_or(0.0) < 0x1p51, "a size is one");
    banzuke::demand(slot.speed.value_or(1.0) > 0.0 && std::isfinite(slot.speed.value_or(1.0)), "a speed is one");
  }
  return 0;
}
