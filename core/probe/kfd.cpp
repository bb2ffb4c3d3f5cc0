#include "kfd.hpp"

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>

namespace banzuke {
namespace {

using files::Path;

// A file of lines `name value`. All values are non-negative integers.
class Properties {
 public:
  explicit Properties(const Path& file) {
    constexpr std::size_t page = 4096;  // maximum size of a sysfs file
    text_ = "\n" + files::contents(file, page).value_or("");
  }

  std::optional<std::int64_t> operator[](std::string_view name) const {
    const auto found = text_.find("\n" + std::string(name) + " ");
    if (found == std::string::npos) return std::nullopt;
    constexpr double most = 1e15;  // exact as a double; serial numbers are larger but not used
    const auto value = files::leading_number(std::string_view(text_).substr(found + name.size() + 2));
    return value && *value >= 0.0 && *value <= most ? std::optional(static_cast<std::int64_t>(*value)) : std::nullopt;
  }
  // Returns a value, or none if it is 0, by which the kernel means unknown.
  std::optional<std::int64_t> positive(std::string_view name) const {
    const auto value = (*this)[name];
    return value && *value > 0 ? value : std::nullopt;
  }

 private:
  std::string text_;
};

// Returns the name of an architecture; 90010 is gfx90a, with two decimal digits for each of the last two hexadecimal
// ones.
std::string architecture(std::optional<std::int64_t> version) {
  constexpr std::int64_t most = 999'915;
  if (!version || *version <= 0 || *version > most) return "";
  const auto major = static_cast<int>(*version / 10000);
  const auto minor = static_cast<int>(*version / 100 % 100);
  const auto stepping = static_cast<int>(*version % 100);
  if (minor > 15 || stepping > 15) return "";
  char text[16];
  std::snprintf(text, sizeof text, "gfx%d%x%x", major, static_cast<unsigned>(minor), static_cast<unsigned>(stepping));
  return text;
}

// Converts a clock from MHz to Hz. The kernel reports 100 if it does not control the clocks.
std::optional<double> clock(std::optional<std::int64_t> megahertz) {
  constexpr std::int64_t not_known = 100;
  constexpr std::int64_t most = 1'000'000;
  constexpr double mega = 1e6;
  if (!megahertz || *megahertz == not_known || *megahertz > most) return std::nullopt;
  return static_cast<double>(*megahertz) * mega;
}

std::optional<int> narrow(std::optional<std::int64_t> value) {
  constexpr std::int64_t most = 1 << 30;
  return value && *value <= most ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

std::string address(std::int64_t domain, std::int64_t location) {
  char text[32];
  std::snprintf(text, sizeof text, "%04x:%02x:%02x.%x", static_cast<unsigned>(domain & 0xffffffff),
                static_cast<unsigned>(location >> 8 & 0xff), static_cast<unsigned>(location >> 3 & 0x1f),
                static_cast<unsigned>(location & 7));
  return text;
}

// Returns the PCI address of a node's device, or of the device of which it is a partition. A partition's number is in
// the location's highest bits or, on older kernels, replaces the function.
std::string bus(const Path& root, const Properties& node) {
  const auto location = node["location_id"];
  if (!location) return "";
  const std::int64_t domain = node["domain"].value_or(0);
  std::string whole = address(domain, *location);
  std::error_code problem;
  if (std::filesystem::exists(root / "sys/bus/pci/devices" / whole, problem)) return whole;
  constexpr std::int64_t function = 7;
  return address(domain, *location & ~function);
}

// Reads the first memory bank that reports its width, else the last one.
void read_memory(KfdDevice& device, const Path& banks) {
  for (const auto& bank : files::names(banks)) {
    const Properties memory(banks / bank / "properties");
    device.memory_bits = narrow(memory.positive("width"));
    device.memory_clock_max = clock(memory.positive("mem_clk_max"));
    if (device.memory_bits) break;
  }
}

// Returns the XGMI paths to other nodes, one for each entry. An entry's smallest rate is that of one link; its largest
// is that of all direct links between the two, or 0 if other nodes are between them. Their ratio is the number of
// links. The rates themselves are not used, because some kernels only assume them.
std::vector<XgmiPath> xgmi(const Path& folder, const std::map<std::string, std::string>& devices,
                           const std::set<std::string>& processors, const std::string& own) {
  constexpr std::int64_t type = 11;  // CRAT_IOLINK_TYPE_XGMI
  constexpr std::int64_t inside_a_package = 13;
  constexpr std::int64_t most = 64;
  std::vector<XgmiPath> found;
  for (const auto& entry : files::names(folder / "io_links")) {
    const Properties link(folder / "io_links" / entry / "properties");
    if (link["type"] != type || link["weight"] == inside_a_package) continue;
    XgmiPath one;
    const std::string end = std::to_string(link["node_to"].value_or(-1));
    if (const auto device = devices.find(end); device != devices.end()) {
      if (device->second == own) continue;
      one.peer = device->second;
      one.kind = "device";
    } else if (processors.contains(end)) {
      one.kind = "processor";
      one.links = 1;
    }
    const auto each = link.positive("min_bandwidth");
    const auto all = link.positive("max_bandwidth");
    if (each && all && *all % *each == 0 && *all / *each <= most) one.links = static_cast<int>(*all / *each);
    found.push_back(std::move(one));
  }
  return found;
}

}  // namespace

std::map<std::string, KfdDevice> kfd_devices(const Path& root) {
  const Path all = root / "sys/class/kfd/kfd/topology/nodes";
  std::map<std::string, std::string> addresses;  // PCI addresses of nodes that are devices
  std::set<std::string> processors;
  const auto nodes = files::names(all);
  for (const auto& name : nodes) {
    const Properties node(all / name / "properties");
    if (node.positive("simd_count")) {
      if (auto at = bus(root, node); !at.empty()) addresses.emplace(name, std::move(at));
    } else if (node.positive("cpu_cores_count")) {
      processors.insert(name);
    }
  }
  std::map<std::string, KfdDevice> found;
  for (const auto& [name, at] : addresses) {
    const Properties node(all / name / "properties");
    KfdDevice& device = found[at];
    ++device.partitions;
    device.architecture = architecture(node["gfx_target_version"]);
    const auto lanes = node.positive("simd_count");
    const auto each = node.positive("simd_per_cu");
    if (lanes && each) device.compute_units = device.compute_units.value_or(0) + narrow(*lanes / *each).value_or(0);
    device.clock_max = clock(node.positive("max_engine_clk_fcompute"));
    read_memory(device, all / name / "mem_banks");
    if (device.partitions == 1) device.xgmi = xgmi(all / name, addresses, processors, at);
  }
  return found;
}

}  // namespace banzuke
