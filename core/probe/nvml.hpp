// NVIDIA's management library, loaded at run time: what the driver reports about its devices. Any value may be missing:
// many are, with old devices, slices, containers or missing permissions.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace banzuke {

// A link to another device, to a switch or to a processor.
struct NvLink {
  int number = 0;
  std::optional<int> version{};
  std::string peer{};  // PCI address
  std::string kind{};  // of the other end: device, processor, switch; empty: unknown
};

// A part of a device that is used as a separate device.
struct Slice {
  std::string identity;  // "MIG-..."
  std::string name{};
  std::optional<double> memory{};       // bytes
  std::optional<double> memory_free{};  // bytes
  std::optional<int> multiprocessors{};
};

// Properties that do not change while a job runs. Units are SI; PCIe generations and widths are numbers.
struct NvidiaDevice {
  int number = 0;        // among all devices of the host
  std::string identity;  // "GPU-..."
  std::string name{};
  std::string bus{};  // PCI address as the kernel writes it: 0000:3b:00.0
  std::optional<double> memory{};
  std::optional<double> memory_free{};
  std::string capability{};  // "9.0"
  std::optional<int> cores{};
  std::optional<int> memory_bits{};  // width of the memory bus
  std::optional<double> clock_max{};
  std::optional<double> memory_clock_max{};
  std::optional<double> clock_set{};         // application clock; lower if somebody set it
  std::optional<int> link_generation_max{};  // highest for this device in this slot
  std::optional<int> link_generation_device{};
  std::optional<int> link_width_max{};
  std::optional<double> power_default{};
  std::optional<double> power_least{};
  std::optional<double> power_most{};
  std::optional<bool> ecc{};
  std::optional<bool> persistent{};
  std::string compute_mode{};  // default, prohibited, exclusive
  std::optional<bool> sliced{};
  std::vector<Slice> slices{};
  std::vector<NvLink> nvlinks{};  // active ones
  // For each other device, by its number, what connects the two: nvlink, switch, bridge, node or system.
  std::vector<std::string> paths{};
  // For each other device, by its number, whether kernels and copies of this one may access its memory; empty if
  // unknown.
  std::vector<std::string> access{};
  std::string problem{};  // why it does not respond; empty: it does
};

// A reading at one moment.
struct NvidiaReading {
  std::optional<double> clock{};
  std::optional<double> memory_clock{};
  std::optional<double> power{};
  std::optional<double> power_limit{};     // in force
  std::optional<double> energy{};          // J since the driver was loaded
  std::optional<double> temperature{};     // degrees Celsius
  std::optional<std::uint64_t> reasons{};  // bits of throttle_reasons
  std::optional<double> utilisation{};     // share of the last sampling period in which a kernel ran
  std::optional<double> ecc_corrected{};   // since the driver was loaded
  std::optional<double> ecc_uncorrected{};
  std::string repair{};  // repair of rows or pages with errors: none, pending (until a reset), failed; empty: unknown
  std::optional<int> link_generation{};
  std::optional<int> link_width{};
  std::vector<int> processes{};  // those that use the device
};

// Reasons for clock throttling, by bit; being idle is not one.
struct ThrottleReason {
  std::uint64_t bit;
  const char* name;
};
inline constexpr ThrottleReason throttle_reasons[] = {
    {0x02, "clock_setting"}, {0x04, "power_cap"},   {0x08, "hardware_slowdown"},
    {0x10, "sync_boost"},    {0x20, "temperature"}, {0x40, "hardware_temperature"},
    {0x80, "power_brake"},
};

class Nvml {
 public:
  // Null if the library is missing or its driver does not respond; `why` gives the reason.
  static std::unique_ptr<Nvml> open(std::string& why);
  static bool installed();  // whether the driver's library is there, even if it does not work
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  const std::string& driver() const { return driver_; }
  std::string cuda() const;  // the version that the driver supports: "13.0"
  std::vector<NvidiaDevice> devices() const;
  // Reads device `number`; none if it no longer responds, for the reason in `why`. `briefly` leaves out what rarely
  // changes (power limit, link, memory errors, processes), and the utilisation.
  std::optional<NvidiaReading> reading(int number, std::string& why, bool briefly = false) const;

 private:
  class Library;
  explicit Nvml(std::unique_ptr<Library> library);

  std::unique_ptr<Library> library_;
  std::string driver_;
};

}  // namespace banzuke
