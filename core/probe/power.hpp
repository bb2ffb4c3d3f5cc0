// Energy and power sensors that the kernel exposes as files, read at a constant rate.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/json.hpp"
#include "core/storage/descriptor.hpp"

namespace banzuke {

struct Sensor {
  std::string id;                    // the folder's class, folder and file: "powercap/intel-rapl:0"
  std::string kind;                  // energy: a counter in J; power: W
  std::string covers;                // package, dram, psys, node, device
  std::string name;                  // as the kernel or the firmware calls it
  std::string device = {};           // identity of the single device that it covers; empty: none, or unknown
  std::optional<double> range = {};  // of a counter in J: where it wraps to 0
  double unit = 1.0;                 // J or W of one step
  std::filesystem::path file = {};   // its first word is the number
};

struct Sensors {
  std::vector<Sensor> readable;
  std::vector<std::string> refused;  // ids of those that this user may not read
};

// Sensors whose domain is part of another's (the cores of a package) are left out.
Sensors find_sensors(const std::filesystem::path& root);

// Writes a line with the sensors, then lines with a reading of each that responds: at once, every `interval` seconds,
// and at the end. Ends at the end of standard input, at SIGTERM, or when nobody reads the output any more.
void tell_power(const Sensors& sensors, double interval);

}  // namespace banzuke
