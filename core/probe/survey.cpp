#include "survey.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/cpulist.hpp"
#include "dmi.hpp"
#include "files.hpp"
#include "host.hpp"
#include "quota.hpp"
#include "survey_devices.hpp"

namespace banzuke {
namespace {

using files::Path;

constexpr double gibibyte = 0x1p30;

// ---------------------------------------------------------------------------------------------- processors

class Processors {
 public:
  explicit Processors(const Path& root) : folder_(root / "sys/devices/system/cpu") {
    for (auto& name : files::names(folder_, "cpu")) {
      if (files::leading_number(std::string_view(name).substr(3))) names_.push_back(std::move(name));
    }
  }

  const Path& folder() const { return folder_; }
  // Returns the first line of the file for each processor that has it.
  std::vector<std::string> lines(const Path& file) const {
    std::vector<std::string> found;
    for (const auto& name : names_) {
      if (auto line = files::line(folder_ / name / file)) found.push_back(std::move(*line));
    }
    return found;
  }
  std::set<std::string> distinct(const Path& file) const {
    const auto all = lines(file);
    return {all.begin(), all.end()};
  }
  std::optional<double> least(const Path& file) const {
    std::optional<double> found;
    for (const auto& line : lines(file)) {
      if (const auto value = files::leading_number(line)) found = std::min(found.value_or(*value), *value);
    }
    return found;
  }
  // Returns the sum of a counter that several processors share, such as those of a core: processors with equal `shared`
  // files count once.
  std::optional<double> sum(const Path& counter, const Path& shared) const {
    std::map<std::string, double> of;
    for (const auto& name : names_) {
      const auto value = files::number(folder_ / name / counter);
      if (value) of[files::line(folder_ / name / shared).value_or(name)] = *value;
    }
    if (of.empty()) return std::nullopt;
    return std::accumulate(of.begin(), of.end(), 0.0, [](double sum, const auto& one) { return sum + one.second; });
  }

 private:
  Path folder_;
  std::vector<std::string> names_;
};

// Returns the lines `key : value` of the first processor.
std::map<std::string, std::string> first_processor(const Path& root) {
  constexpr std::size_t most = 16384;
  std::map<std::string, std::string> found;
  const auto text = files::contents(root / "proc/cpuinfo", most);
  for (const auto& line : split(text.value_or(""), '\n')) {
    const auto colon = line.find(':');
    if (colon == std::string::npos) {
      if (!found.empty()) break;
      continue;
    }
    const auto key = line.substr(0, line.find_last_not_of(" \t", colon - 1) + 1);
    const auto value = line.find_first_not_of(" \t", colon + 1);
    if (value != std::string::npos) found[key] = line.substr(value);
  }
  return found;
}

std::optional<std::string> found_in(const std::map<std::string, std::string>& all, const std::string& key) {
  const auto entry = all.find(key);
  return entry == all.end() ? std::nullopt : std::optional(entry->second);
}

void add_processors(const Path& root, const Processors& processors, Facts& facts) {
  const auto first = first_processor(root);
  auto model = found_in(first, "model name");
  const auto implementer = found_in(first, "CPU implementer");
  if (!model && implementer) model = *implementer + " " + found_in(first, "CPU part").value_or("");
  facts.add("type.processor", model);
  const auto sockets = processors.distinct("topology/physical_package_id");
  const auto cores = processors.distinct("topology/thread_siblings_list");
  if (!sockets.empty()) facts.add("type.sockets", count(sockets.size()));
  if (!cores.empty()) facts.add("type.cores", count(cores.size()));
  const auto microcode = files::line(processors.folder() / "cpu0/microcode/version");
  facts.add("setting.microcode", microcode ? microcode : found_in(first, "microcode"));
}

// Returns the choice in brackets, as in `always [madvise] never`.
std::optional<std::string> chosen(const Path& file) {
  const auto line = files::line(file).value_or("");
  const auto begin = line.find('[');
  const auto end = line.find(']');
  if (begin == std::string::npos || end == std::string::npos || end < begin) return std::nullopt;
  return line.substr(begin + 1, end - begin - 1);
}

std::optional<bool> boost(const Path& cpu) {
  if (const auto on = files::number(cpu / "cpufreq/boost")) return *on != 0.0;
  if (const auto off = files::number(cpu / "intel_pstate/no_turbo")) return *off == 0.0;
  return std::nullopt;
}

std::optional<std::string> mitigations(const Path& folder) {
  const auto names = files::names(folder);
  if (names.empty()) return std::nullopt;
  std::set<std::string> on;
  for (const auto& name : names) {
    if (files::line(folder / name).value_or("").starts_with("Mitigation")) on.insert(name);
  }
  return on.empty() ? "none" : joined(on);
}

std::optional<std::string> idle_states(const Path& folder) {
  std::string on;
  for (const auto& state : files::names(folder, "state")) {
    const auto name = files::line(folder / state / "name");
    if (!name || files::number(folder / state / "disable").value_or(0.0) != 0.0) continue;
    on.append(on.empty() ? "" : ", ").append(*name);
  }
  return on.empty() ? std::nullopt : std::optional(on);
}

void add_settings(const Path& root, const Processors& processors, Facts& facts) {
  const Path& cpu = processors.folder();
  const auto every = [&](const char* name, const Path& file) {
    const auto words = processors.distinct(file);
    if (!words.empty()) facts.add(name, joined(words));
  };
  facts.add("setting.kernel", files::line(root / "proc/sys/kernel/osrelease"));
  const Path dmi = root / "sys/class/dmi/id";
  auto bios = files::line(dmi / "bios_version");
  if (const auto date = files::line(dmi / "bios_date"); bios && date) *bios += " of " + *date;
  facts.add("setting.bios", bios);
  facts.add("setting.board", files::line(dmi / "board_name"));
  every("setting.driver", "cpufreq/scaling_driver");
  every("setting.governor", "cpufreq/scaling_governor");
  every("setting.energy_preference", "cpufreq/energy_performance_preference");
  facts.add("setting.thp", chosen(root / "sys/kernel/mm/transparent_hugepage/enabled"));
  facts.add("setting.smt", files::line(cpu / "smt/control"));
  facts.add("setting.boost", boost(cpu));
  facts.add("setting.idle_states", idle_states(cpu / "cpu0/cpuidle"));
  facts.add("setting.mitigations", mitigations(cpu / "vulnerabilities"));
  facts.add("setting.offline", files::line(cpu / "offline"));
  facts.add("setting.isolated", files::line(cpu / "isolated"));
  facts.add("setting.numa_balancing", files::number(root / "proc/sys/kernel/numa_balancing"));
  facts.add("setting.zone_reclaim", files::number(root / "proc/sys/vm/zone_reclaim_mode"));
  facts.add("setting.huge_pages", files::number(root / "proc/sys/vm/nr_hugepages"));
  facts.add("setting.clock_source",
            files::line(root / "sys/devices/system/clocksource/clocksource0/current_clocksource"));
  const auto nodes = files::names(root / "sys/devices/system/node", "node");
  if (!nodes.empty()) facts.add("setting.numa_nodes", count(nodes.size()));
}

// -------------------------------------------------------------------------------------------------- memory

std::optional<double> meminfo(const Path& root, const std::string& key) {
  constexpr std::size_t most = 16384;
  for (const auto& line : split(files::contents(root / "proc/meminfo", most).value_or(""), '\n')) {
    if (!line.starts_with(key + ":")) continue;
    const auto first = line.find_first_not_of(' ', key.size() + 1);
    if (first == std::string::npos) return std::nullopt;
    const auto kibibytes = files::leading_number(std::string_view(line).substr(first));
    return kibibytes ? std::optional(std::floor(*kibibytes * 0x1p10 / gibibyte)) : std::nullopt;
  }
  return std::nullopt;
}

bool add_slots(const Path& root, Facts& facts) {
  constexpr std::size_t most = std::size_t{1} << 20U;
  const auto table = files::contents(root / "sys/firmware/dmi/tables/DMI", most);
  const auto slots = memory_slots(table.value_or(""));
  if (slots.empty()) return false;
  std::size_t modules = 0;
  double bytes = 0.0;
  std::optional<double> speed;
  std::string empty;
  for (const auto& slot : slots) {
    if (slot.bytes == 0.0) {
      empty.append(empty.empty() ? "" : ", ").append(slot.name);
      continue;
    }
    ++modules;
    bytes += slot.bytes.value_or(0.0);
    if (slot.speed) speed = std::min(speed.value_or(*slot.speed), *slot.speed);
  }
  facts.add("memory.modules", count(modules));
  facts.add("memory.slots", count(slots.size()));
  facts.add("memory.installed", bytes / gibibyte);
  if (speed) facts.add("memory.speed", *speed / 1e6);
  if (!empty.empty()) facts.add("memory.empty", empty);
  return true;
}

void add_memory(const Path& root, Facts& facts) {
  facts.add("memory.total", meminfo(root, "MemTotal"));
  const bool table = add_slots(root, facts);
  const Path controllers = root / "sys/devices/system/edac/mc";
  std::size_t modules = 0;
  std::optional<double> corrected;
  std::optional<double> uncorrected;
  const auto add = [](std::optional<double>& sum, std::optional<double> value) {
    if (value) sum = sum.value_or(0.0) + *value;
  };
  for (const auto& name : files::names(controllers, "mc")) {
    const Path controller = controllers / name;
    add(corrected, files::number(controller / "ce_count"));
    add(uncorrected, files::number(controller / "ue_count"));
    for (const auto* kind : {"dimm", "rank"}) {
      for (const auto& module : files::names(controller, kind)) {
        if (files::number(controller / module / "size").value_or(0.0) > 0.0) ++modules;
      }
    }
  }
  if (!table && modules > 0) facts.add("memory.modules", count(modules));
  facts.add("memory.corrected_errors", corrected);
  facts.add("memory.uncorrected_errors", uncorrected);
}

// --------------------------------------------------------------------------------------------------- state

std::optional<double> hottest(const Path& root) {
  const Path all = root / "sys/class/hwmon";
  std::optional<double> found;
  for (const auto& name : files::names(all, "hwmon")) {
    const auto driver = files::line(all / name / "name").value_or("");
    if (driver != "coretemp" && driver != "k10temp" && driver != "zenpower") continue;
    for (const auto& file : files::names(all / name, "temp")) {
      if (!file.ends_with("_input")) continue;
      if (const auto thousandths = files::number(all / name / file)) {
        found = std::max(found.value_or(*thousandths / 1e3), *thousandths / 1e3);
      }
    }
  }
  return found;
}

// Returns the watts of all packages together; none if one of them is unknown.
std::optional<double> power_cap(const Path& root, const char* file) {
  const Path all = root / "sys/class/powercap";
  std::optional<double> watts;
  for (const auto& zone : files::names(all, "intel-rapl:")) {
    if (!files::line(all / zone / "name").value_or("").starts_with("package")) continue;
    const auto one = files::number(all / zone / file);
    if (!one) return std::nullopt;
    watts = watts.value_or(0.0) + *one / 1e6;
  }
  return watts;
}

void add_state(const Path& root, const Processors& processors, Facts& facts) {
  const auto of_cores = processors.sum("thermal_throttle/core_throttle_count", "topology/thread_siblings_list");
  const auto of_packages = processors.sum("thermal_throttle/package_throttle_count", "topology/physical_package_id");
  if (of_cores || of_packages) facts.add("state.throttled", of_cores.value_or(0.0) + of_packages.value_or(0.0));
  facts.add("state.temperature", hottest(root));
  facts.add("state.power_cap", power_cap(root, "constraint_0_power_limit_uw"));
  facts.add("state.power_cap_max", power_cap(root, "constraint_0_max_power_uw"));
  facts.add("state.load", files::number(root / "proc/loadavg"));
  if (const auto kilohertz = processors.least("cpufreq/scaling_max_freq")) {
    facts.add("state.clock_maximum", *kilohertz * 1e3);
  }
  facts.add("state.uptime", files::number(root / "proc/uptime"));
  facts.add("state.memory_available", meminfo(root, "MemAvailable"));
  facts.add("state.quota", quota(root));
  facts.add("state.allowed", allowed(root));
}

}  // namespace

Json survey(const Path& root) {
  Facts facts;
  const Processors processors(root);
  add_processors(root, processors, facts);
  add_settings(root, processors, facts);
  add_pcie(root, facts);
  add_ports(root, facts);
  add_memory(root, facts);
  add_state(root, processors, facts);
  const std::chrono::duration<double> time = std::chrono::system_clock::now().time_since_epoch();
  return Json::object({{"host", host_name()}, {"time", time.count()}, {"facts", facts.take()}});
}

}  // namespace banzuke
