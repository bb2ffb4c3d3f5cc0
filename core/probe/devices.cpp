#include "devices.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "amd.hpp"
#include "files.hpp"
#include "kfd.hpp"
#include "members.hpp"
#include "nvml.hpp"

namespace banzuke {
namespace {

using files::Path;

void add(Json& json, const char* name, const std::string& text) {
  if (!text.empty()) json.set(name, text);
}

// Returns a device's position in the bus tree.
Path place(const Path& link) {
  std::error_code problem;
  return std::filesystem::canonical(link, problem);
}

// Returns how many steps of the path from the processor two devices share.
std::ptrdiff_t in_common(const Path& one, const Path& other) {
  return std::ranges::distance(one.begin(), std::ranges::mismatch(one, other).in1);
}

// Returns the network adapter that shares most of the path to the device; empty if there is none.
std::string nearest_adapter(const Path& root, const Path& device) {
  std::string nearest;
  std::ptrdiff_t most = 0;
  for (const auto* kind : {"sys/class/infiniband", "sys/class/net"}) {
    for (const auto& name : files::names(root / kind)) {
      const Path adapter = place(root / kind / name / "device");
      if (adapter.empty()) continue;  // virtual, or built on other interfaces
      if (const auto shared = in_common(device, adapter); shared > most) {
        nearest = name;
        most = shared;
      }
    }
    if (!nearest.empty()) return nearest;  // RDMA adapters take precedence
  }
  return nearest;
}

// Adds what the kernel reports for any PCI Express device.
void add_place(const Path& root, const std::string& bus, Json& json) {
  if (bus.empty()) return;
  const Path folder = root / "sys/bus/pci/devices" / bus;
  if (const auto node = files::number(folder / "numa_node"); node && *node >= 0.0) {
    json.set("numa_node", static_cast<std::int64_t>(*node));
  }
  add(json, "link_generation_now", link_generation(folder / "current_link_speed"));
  add(json, "link_width_now", link_width(folder / "current_link_width"));
  if (const Path at = place(folder); !at.empty()) add(json, "adapter", nearest_adapter(root, at));
}

Json described(const Path& root, const NvidiaDevice& device, const std::optional<NvidiaReading>& now) {
  Json out = Json::object({{"vendor", "NVIDIA"}, {"number", device.number}});
  add(out, "problem", device.problem);
  add(out, "identity", device.identity);
  add(out, "name", device.name);
  add(out, "bus", device.bus);
  add(out, "memory", device.memory);
  add(out, "memory_free", device.memory_free);
  add(out, "capability", device.capability);
  add(out, "cores", device.cores);
  add(out, "memory_bits", device.memory_bits);
  add(out, "clock_max", device.clock_max);
  add(out, "memory_clock_max", device.memory_clock_max);
  add(out, "clock_set", device.clock_set);
  add(out, "link_generation_max", device.link_generation_max);
  add(out, "link_generation_device", device.link_generation_device);
  add(out, "link_width_max", device.link_width_max);
  add(out, "power_default", device.power_default);
  add(out, "power_least", device.power_least);
  add(out, "power_most", device.power_most);
  add(out, "ecc", device.ecc);
  add(out, "persistent", device.persistent);
  add(out, "compute_mode", device.compute_mode);
  add(out, "sliced", device.sliced);
  if (now) {
    add(out, "power_limit", now->power_limit);
    add(out, "ecc_uncorrected", now->ecc_uncorrected);
    add(out, "ecc_corrected", now->ecc_corrected);
    add(out, "repair", now->repair);
    add(out, "link_generation_now", now->link_generation);  // in case the kernel's files are hidden, as in containers
    add(out, "link_width_now", now->link_width);
  }
  add_place(root, device.bus, out);
  Json::Array slices;
  for (const auto& slice : device.slices) {
    Json one = Json::object({{"identity", slice.identity}, {"name", slice.name}});
    add(one, "memory", slice.memory);
    add(one, "memory_free", slice.memory_free);
    add(one, "multiprocessors", slice.multiprocessors);
    slices.push_back(std::move(one));
  }
  out.set("slices", std::move(slices));
  Json::Array links;
  for (const auto& link : device.nvlinks) {
    Json one = Json::object({{"number", link.number}});
    add(one, "version", link.version);
    add(one, "peer", link.peer);
    add(one, "kind", link.kind);
    links.push_back(std::move(one));
  }
  out.set("links", std::move(links));
  out.set("paths", Json::array(device.paths));
  out.set("access", Json::array(device.access));
  return out;
}

// Returns the highest rate among a clock's states, which are written as `1: 1700Mhz *`.
std::optional<double> highest_clock(const Path& file) {
  constexpr std::size_t most = 4096;
  const std::string text = files::contents(file, most).value_or("");
  std::optional<double> highest;
  for (std::size_t colon = text.find(": "); colon != std::string::npos; colon = text.find(": ", colon + 1)) {
    const auto megahertz = files::leading_number(std::string_view(text).substr(colon + 2));
    if (megahertz) highest = std::max(highest.value_or(0.0), *megahertz * 1e6);
  }
  return highest;
}

// Adds the XGMI links one by one, as for NVLink, and the paths to the other devices of `all`, in order.
void add_xgmi(const std::vector<XgmiPath>& found, const std::vector<std::string>& all, Json& json) {
  Json::Array links;
  std::vector<std::string> paths(all.size());
  std::int64_t number = 0;
  for (const auto& one : found) {
    for (int link = 0; link < one.links; ++link) {
      Json json_of = Json::object({{"number", number++}});
      add(json_of, "peer", one.peer);
      add(json_of, "kind", one.kind);
      links.push_back(std::move(json_of));
    }
    const auto other = std::ranges::find(all, one.peer);
    if (other != all.end()) paths[static_cast<std::size_t>(other - all.begin())] = "xgmi";
  }
  json.set("links", std::move(links));
  json.set("paths", Json::array(paths));
}

// Describes a device by the files of amdgpu (Documentation/gpu/amdgpu), which the management library reads, too, and by
// what the compute driver reports for it. `bus` is one of `all`.
Json described(const Path& root, const std::string& bus, int number, const std::vector<std::string>& all,
               const KfdDevice& computes) {
  const Path folder = root / "sys/bus/pci/devices" / bus;
  Json out = Json::object({{"vendor", "AMD"}, {"number", number}, {"bus", bus}});
  add(out, "identity", amd_identity(folder));
  add(out, "name",
      files::line(folder / "product_name").value_or("AMD " + files::line(folder / "device").value_or("GPU")));
  const auto total = files::number(folder / "mem_info_vram_total");
  add(out, "memory", total);
  if (const auto used = files::number(folder / "mem_info_vram_used"); used && total && *used <= *total) {
    out.set("memory_free", *total - *used);
  }
  add(out, "capability", computes.architecture);
  add(out, "multiprocessors", computes.compute_units);
  if (computes.partitions > 1) out.set("partitions", computes.partitions);
  add(out, "memory_bits", computes.memory_bits);
  const auto clock_max = highest_clock(folder / "pp_dpm_sclk");
  add(out, "clock_max", clock_max ? clock_max : computes.clock_max);
  const auto memory_clock_max = highest_clock(folder / "pp_dpm_mclk");
  add(out, "memory_clock_max", memory_clock_max ? memory_clock_max : computes.memory_clock_max);
  add(out, "link_generation_max", link_generation(folder / "max_link_speed"));
  add(out, "link_width_max", link_width(folder / "max_link_width"));
  const auto [corrected, uncorrected] = amd_memory_errors(folder);
  add(out, "ecc_corrected", corrected);
  add(out, "ecc_uncorrected", uncorrected);
  constexpr double micro = 1e-6;
  for (const auto& sensor : files::names(folder / "hwmon", "hwmon")) {
    const Path at = folder / "hwmon" / sensor;
    for (const auto& [name, file] : {std::pair{"power_limit", "power1_cap"},
                                     {"power_default", "power1_cap_default"},
                                     {"power_least", "power1_cap_min"},
                                     {"power_most", "power1_cap_max"}}) {
      if (const auto value = files::number(at / file)) out.set(name, *value * micro);
    }
  }
  add_xgmi(computes.xgmi, all, out);
  add_place(root, bus, out);
  return out;
}

}  // namespace

Json devices(const Path& root) {
  Json::Array found;
  Json out = Json::object();
  std::string why;
  if (const auto nvml = Nvml::open(why)) {
    out.set("driver", nvml->driver());
    out.set("cuda", nvml->cuda());
    for (const auto& device : nvml->devices()) {
      std::string lost;
      const auto now = device.problem.empty() ? nvml->reading(device.number, lost) : std::nullopt;
      found.push_back(described(root, device, now));
    }
  } else {
    out.set(Nvml::installed() ? "problem" : "absent", why);
  }
  const auto amd = amd_devices(root);
  const auto kfd = kfd_devices(root);
  int number = 0;
  for (const auto& bus : amd) {
    const auto computes = kfd.find(bus);
    found.push_back(described(root, bus, number++, amd, computes == kfd.end() ? KfdDevice{} : computes->second));
  }
  out.set("devices", std::move(found));
  return out;
}

}  // namespace banzuke
