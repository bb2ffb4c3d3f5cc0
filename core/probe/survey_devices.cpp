#include "survey_devices.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

namespace banzuke {
namespace {

using files::Path;

bool starts(const Path& folder, std::string_view digits) {
  return files::line(folder / "class").value_or("").starts_with(digits);
}

// Returns the kernel's name of a PCIe device whose link is of interest; none for other kinds of devices.
std::optional<std::string> device_name(const Path& folder, std::size_t& accelerators) {
  if (starts(folder, "0x02")) {  // network, including InfiniBand
    for (const auto* kind : {"infiniband", "net"}) {
      if (auto names = files::names(folder / kind); !names.empty()) return names.front();
    }
  } else if (starts(folder, "0x0108")) {
    if (auto names = files::names(folder / "nvme", "nvme"); !names.empty()) return names.front();
  } else if (starts(folder, "0x0302") || starts(folder, "0x0380") || starts(folder, "0x12")) {
    return "gpu" + std::to_string(accelerators++);  // display adapters without a screen; accelerators
  }
  return std::nullopt;
}

std::string undotted(std::string name) {
  std::ranges::replace(name, '.', '-');
  return name;
}

}  // namespace

void add_pcie(const Path& root, Facts& facts) {
  const Path all = root / "sys/bus/pci/devices";
  std::size_t gpus = 0;
  std::map<std::string, std::size_t> kinds;
  for (const auto& address : files::names(all)) {
    const Path device = all / address;
    const std::size_t before = gpus;
    const auto name = device_name(device, gpus);
    if (!name) continue;
    if (gpus > before) {
      ++kinds[files::line(device / "vendor").value_or("?") + ":" + files::line(device / "device").value_or("?")];
    }
    const auto link = [&](const char* what, const char* file) {
      const auto value = files::number(device / file);
      constexpr double unknown_width = 255.0;
      if (value && *value > 0.0 && *value != unknown_width) facts.add("link." + undotted(*name) + what, *value);
    };
    link(".width", "current_link_width");
    link(".width_max", "max_link_width");
    link(".speed", "current_link_speed");
    link(".speed_max", "max_link_speed");
  }
  std::set<std::string> types;
  std::set<std::string> counts;
  for (const auto& [kind, number] : kinds) {
    types.insert(kind);
    counts.insert(std::to_string(number) + " x " + kind);
  }
  facts.add("type.devices", types.empty() ? "none" : joined(types));
  facts.add("setting.devices", counts.empty() ? "none" : joined(counts));
}

void add_ports(const Path& root, Facts& facts) {
  const Path devices = root / "sys/class/infiniband";
  for (const auto& device : files::names(devices)) {
    const auto ports = files::names(devices / device / "ports");
    for (const auto& port : ports) {
      const Path folder = devices / device / "ports" / port;
      const std::string name = "link." + undotted(device) + (ports.size() > 1 ? ":" + port : "");
      const auto state = files::line(folder / "state");  // `4: ACTIVE`
      if (state) facts.add(name + ".state", state->substr(std::min(state->size(), state->find(' ') + 1)));
      const auto rate = files::number(folder / "rate");  // `200 Gb/sec (4X HDR)`
      if (rate && state.value_or("").ends_with("ACTIVE")) facts.add(name + ".rate", *rate * 1e9);
    }
  }
  const Path interfaces = root / "sys/class/net";
  for (const auto& interface : files::names(interfaces)) {
    std::error_code problem;
    if (!std::filesystem::exists(interfaces / interface / "device", problem)) continue;  // virtual, or built on others
    const auto rate = files::number(interfaces / interface / "speed");                   // Mb/s; -1: unknown
    if (rate && *rate > 0.0) facts.add("link." + undotted(interface) + ".rate", *rate * 1e6);
  }
}

}  // namespace banzuke
