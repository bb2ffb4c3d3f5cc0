#include <string_view>
#include <utility>

#include "amd.hpp"
#include "files.hpp"
#include "power.hpp"

namespace banzuke {
namespace {

using files::Path;

constexpr double micro = 1e-6;

class Finder {
 public:
  explicit Finder(Path root) : root_(std::move(root)) {}

  // Adds the counters of Documentation/power/powercap/powercap.rst, except for intel-rapl-mmio, which has the same
  // counters again.
  void powercap() {
    const Path all = root_ / "sys/class/powercap";
    for (const auto& zone : files::names(all, "intel-rapl:")) {
      const auto name = files::line(all / zone / "name").value_or("");
      const std::string covers = name.starts_with("package") ? "package" : name == "dram" || name == "psys" ? name : "";
      auto range = files::number(all / zone / "max_energy_range_uj");
      if (range) *range *= micro;
      add({.id = "powercap/" + zone,
           .kind = "energy",
           .covers = covers,
           .name = name,
           .range = range,
           .unit = micro,
           .file = all / zone / "energy_uj"});
    }
  }

  // Adds the sensors of Documentation/hwmon/sysfs-interface.rst. The driver of ACPI meters long had its files, and
  // earlier also its name, in the device's folder.
  void hwmon() {
    const Path all = root_ / "sys/class/hwmon";
    for (const auto& folder : files::names(all, "hwmon")) {
      const Path at = all / folder;
      auto driver = files::line(at / "name");
      if (!driver) driver = files::line(at / "device" / "name");
      for (const Path& place : {at, at / "device"})
        meters(place, "hwmon/" + folder, driver.value_or(""), at / "device");
    }
  }

  // Adds energy*_input (uJ) and power*_input or power*_average (uW).
  void meters(const Path& at, const std::string& id, const std::string& driver, const Path& device) {
    for (const auto& [stem, kind] : {std::pair{"energy", "energy"}, {"power", "power"}}) {
      for (const auto& file : files::names(at, stem)) {
        const std::string number = file.substr(0, file.find('_'));
        const bool average = file.ends_with("_average");
        const bool input = file.ends_with("_input") && !exists(at / (number + "_average"));
        if (!average && !input) continue;
        auto name = files::line(at / (number + "_label"));
        if (!name) name = files::line(at / (number + "_oem_info"));
        add({.id = id + "/" + number,
             .kind = kind,
             .covers = std::string(covers(driver, name.value_or(""))),
             .name = driver + (name ? " " + *name : ""),
             .device = driver == "amdgpu" ? amd_identity(device) : "",
             .unit = micro,
             .file = at / file});
      }
    }
  }

  // Adds the counters of Cray node controllers, such as `4711 J 1700000000 us`.
  void cray() {
    const Path all = root_ / "sys/cray/pm_counters";
    for (const auto& file : files::names(all)) {
      const std::string covers = file == "energy"                                         ? "node"
                                 : file == "cpu_energy"                                   ? "package"
                                 : file == "memory_energy"                                ? "dram"
                                 : file.starts_with("accel") && file.ends_with("_energy") ? "device"
                                                                                          : "";
      add({.id = "cray/" + file, .kind = "energy", .covers = covers, .name = file, .file = all / file});
    }
  }

  Sensors take() { return std::move(found_); }

 private:
  static bool exists(const Path& file) {
    std::error_code problem;
    return std::filesystem::exists(file, problem);
  }

  // Returns what a sensor covers; empty if unknown, or if another sensor of the same driver includes it.
  static std::string_view covers(std::string_view driver, std::string_view label) {
    if (driver == "amdgpu" || driver == "nouveau" || driver == "i915" || driver == "xe") return "device";
    if (driver == "amd_energy") return label.starts_with("Esocket") ? "package" : "";
    if (driver == "ibmpowernv") return label == "System" ? "node" : "";
    if (driver != "power_meter") return "";
    // ACPI; Grace has several meters. A module's meter includes the GPU, which its own driver reports again.
    if (label.starts_with("Grace Power")) return "package";
    if (label.empty()) return "node";
    // Intel's Node Manager has "Meter measures total domain".
    for (const std::string_view whole : {"Node", "System", "Server", "Chassis", "total domain"}) {
      if (label.find(whole) != std::string_view::npos && label.find("Socket") == std::string_view::npos) return "node";
    }
    return "";
  }

  void add(Sensor sensor) {
    if (sensor.covers.empty()) return;
    if (files::number(sensor.file)) {
      found_.readable.push_back(std::move(sensor));
    } else if (exists(sensor.file)) {
      found_.refused.push_back(std::move(sensor.id));
    }
  }

  Path root_;
  Sensors found_;
};

}  // namespace

Sensors find_sensors(const Path& root) {
  Finder finder(root);
  finder.powercap();
  finder.hwmon();
  finder.cray();
  return finder.take();
}

}  // namespace banzuke
