// Sensors of energy and power that the kernel has as files, read at a steady rate.
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
  std::string device = {};           // identity of the one that it covers alone; empty: none, or unknown
  std::optional<double> range = {};  // of a counter in J: where it begins again at 0
  double unit = 1.0;                 // J or W of one step
  std::filesystem::path file = {};   // whose first word is the number
};

struct Sensors {
  std::vector<Sensor> readable;
  std::vector<std::string> refused;  // ids of those that only others may read
};

// Parts of what another sensor covers (the cores of a package) are left out.
Sensors find_sensors(const std::filesystem::path& root);

// Writes a line with the sensors, then one with a reading of each that answers: at once, every `interval` seconds, and
// at the end, which is that of the standard input or SIGTERM, or that nobody reads any more.
void tell_power(const Sensors& sensors, double interval);

}  // namespace banzuke
