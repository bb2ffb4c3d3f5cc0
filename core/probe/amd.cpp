#include "amd.hpp"

#include <algorithm>
#include <iterator>

namespace banzuke {

using files::Path;

std::vector<std::string> amd_devices(const Path& root) {
  const Path all = root / "sys/bus/pci/devices";
  std::vector<std::string> found;
  for (const auto& bus : files::names(all)) {
    const bool of_amd = files::line(all / bus / "vendor") == "0x1002";
    if (of_amd && files::number(all / bus / "mem_info_vram_total")) found.push_back(bus);
  }
  return found;
}

MemoryErrors amd_memory_errors(const Path& folder) {
  constexpr std::size_t most = 4096;
  const std::string text = "\n" + files::contents(folder / "ras/umc_err_count", most).value_or("");
  const auto after = [&](std::string_view key) {
    const auto found = text.find(key);
    return found == std::string::npos ? std::nullopt : files::leading_number(text.substr(found + key.size()));
  };
  return {.corrected = after("\nce: "), .uncorrected = after("\nue: ")};
}

std::string amd_identity(const Path& folder) {
  const auto serial = files::line(folder / "unique_id");
  return serial ? "GPU-" + *serial : "";
}

std::optional<int> link_generation(const Path& file) {
  const auto rate = files::number(file);
  if (!rate) return std::nullopt;
  constexpr double rates[] = {2.5, 5.0, 8.0, 16.0, 32.0, 64.0};
  const auto* found = std::ranges::find(rates, *rate);
  return found == std::end(rates) ? std::nullopt : std::optional(static_cast<int>(found - std::begin(rates)) + 1);
}

std::optional<int> link_width(const Path& file) {
  const auto lanes = files::number(file);
  return lanes && *lanes >= 1.0 && *lanes <= 32.0 ? std::optional(static_cast<int>(*lanes)) : std::nullopt;
}

}  // namespace banzuke
