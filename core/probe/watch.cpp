#include "watch.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "amd.hpp"
#include "files.hpp"
#include "host.hpp"
#include "members.hpp"
#include "nvml.hpp"
#include "steady.hpp"

namespace banzuke {
namespace {

using files::Path;

constexpr double most_of_a_core = 0.01;
constexpr double seldom = 0.5;  // seconds between readings of what rarely changes

// Returns the start time of a process in seconds since the epoch; none if it is not visible, e.g. from within a
// container.
std::optional<double> beginning(const Path& root, int process, double now) {
  constexpr std::size_t most = 4096;
  const auto text = files::contents(root / "proc" / std::to_string(process) / "stat", most).value_or("");
  const auto uptime = files::number(root / "proc/uptime");
  const auto name_end = text.rfind(')');  // a name may contain blanks and parentheses
  if (name_end == std::string::npos || !uptime) return std::nullopt;
  std::istringstream rest(text.substr(name_end + 1));
  std::string word;
  constexpr int between = 19;  // from the state, field 3 of proc(5), to the field before starttime, field 22
  for (int i = 0; i < between; ++i) rest >> word;
  double ticks = 0.0;
  if (!(rest >> ticks)) return std::nullopt;
  return now - *uptime + ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

class Watched {
 public:
  Watched() = default;
  virtual ~Watched() = default;
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

  virtual Json described() const = 0;
  // Returns its energy counter, or else its power sensor; none if it has neither.
  virtual std::optional<Json> sensor() const = 0;
  // Adds its readings to a line; returns false if it does not respond, for the reason in `why`.
  virtual bool read(Json& line, std::string& why, bool briefly) const = 0;
  virtual const std::string& identity() const = 0;
};

class Nvidia : public Watched {
 public:
  Nvidia(const Nvml& nvml, NvidiaDevice device, Path root)
      : nvml_(nvml), device_(std::move(device)), root_(std::move(root)) {
    std::string why;
    const auto now = nvml_.reading(device_.number, why);
    counts_ = now && now->energy;
    powers_ = now && now->power;
  }

  Json described() const override {
    Json out = Json::object(
        {{"identity", device_.identity}, {"number", device_.number}, {"name", device_.name}, {"source", "nvml"}});
    add(out, "clock_max", device_.clock_max);
    add(out, "clock_set", device_.clock_set);
    add(out, "memory_bits", device_.memory_bits);
    add(out, "link_generation_max", device_.link_generation_max);
    add(out, "link_generation_device", device_.link_generation_device);
    add(out, "link_width_max", device_.link_width_max);
    add(out, "power_default", device_.power_default);
    add(out, "ecc", device_.ecc);
    add(out, "persistent", device_.persistent);
    Json::Array slices;
    for (const auto& slice : device_.slices) slices.emplace_back(slice.identity);
    out.set("slices", std::move(slices));
    return out;
  }

  std::optional<Json> sensor() const override {
    if (!counts_ && !powers_) return std::nullopt;
    return Json::object(
        {{"id", id()}, {"kind", counts_ ? "energy" : "power"}, {"covers", "device"}, {"device", device_.identity}});
  }

  bool read(Json& line, std::string& why, bool briefly) const override {
    const double before = seconds(CLOCK_REALTIME);
    const auto now = nvml_.reading(device_.number, why, briefly);
    const double time = 0.5 * (before + seconds(CLOCK_REALTIME));
    line.set("time", time);
    if (!now) return false;
    Json values = Json::object();
    if (const auto value = counts_ ? now->energy : now->power) values.set(id(), *value);
    line.set("values", std::move(values));
    Json state = Json::object();
    add(state, "clock", now->clock);
    add(state, "memory_clock", now->memory_clock);
    add(state, "power", now->power);
    add(state, "temperature", now->temperature);
    if (now->reasons) {
      Json::Array slowing;
      for (const auto& reason : throttle_reasons) {
        if ((*now->reasons & reason.bit) != 0) slowing.emplace_back(reason.name);
      }
      state.set("slowing", std::move(slowing));
    }
    if (!briefly) {
      add(state, "power_limit", now->power_limit);
      add(state, "ecc_corrected", now->ecc_corrected);
      add(state, "ecc_uncorrected", now->ecc_uncorrected);
      if (!now->repair.empty()) state.set("repair", now->repair);
      add(state, "link_generation", now->link_generation);
      add(state, "link_width", now->link_width);
      Json::Array began;
      for (const int process : now->processes) {
        if (const auto when = beginning(root_, process, time)) began.emplace_back(*when);
      }
      state.set("processes_began", std::move(began));
    }
    line.set("state", std::move(state));
    return true;
  }

  const std::string& identity() const override { return device_.identity; }

 private:
  std::string id() const { return "nvml/" + std::to_string(device_.number); }

  const Nvml& nvml_;
  NvidiaDevice device_;
  Path root_;
  bool counts_ = false;
  bool powers_ = false;
};

// An AMD device, read as in Documentation/hwmon/sysfs-interface.rst: Hz, millidegrees, microwatts. Its power sensors
// are read as the kernel's.
class Amd : public Watched {
 public:
  Amd(const Path& root, const std::string& bus, int number)
      : folder_(root / "sys/bus/pci/devices" / bus), number_(number), identity_(amd_identity(folder_)) {
    const auto found = files::names(folder_ / "hwmon", "hwmon");
    if (!found.empty()) sensors_ = folder_ / "hwmon" / found.front();
  }

  Json described() const override {
    Json out = Json::object({{"identity", identity_}, {"number", number_}, {"source", "hwmon"}});
    out.set("name", files::line(folder_ / "product_name").value_or("AMD"));
    add(out, "link_generation_max", link_generation(folder_ / "max_link_speed"));
    add(out, "link_width_max", link_width(folder_ / "max_link_width"));
    add(out, "power_default", scaled("power1_cap_default", micro));
    return out;
  }

  std::optional<Json> sensor() const override { return std::nullopt; }

  bool read(Json& line, std::string& why, bool briefly) const override {
    line.set("time", seconds(CLOCK_REALTIME));
    const auto temperature = scaled("temp1_input", milli);
    if (!temperature) {
      why = "the kernel gives no temperature of it";
      return false;
    }
    Json state = Json::object({{"temperature", *temperature}});
    add(state, "clock", scaled("freq1_input", 1.0));
    add(state, "memory_clock", scaled("freq2_input", 1.0));
    const auto average = scaled("power1_average", micro);
    add(state, "power", average ? average : scaled("power1_input", micro));
    if (!briefly) {
      add(state, "power_limit", scaled("power1_cap", micro));
      const auto [corrected, uncorrected] = amd_memory_errors(folder_);
      add(state, "ecc_corrected", corrected);
      add(state, "ecc_uncorrected", uncorrected);
      add(state, "link_generation", link_generation(folder_ / "current_link_speed"));
      add(state, "link_width", link_width(folder_ / "current_link_width"));
    }
    line.set("values", Json::object());
    line.set("state", std::move(state));
    return true;
  }

  const std::string& identity() const override { return identity_; }

 private:
  static constexpr double milli = 1e-3;
  static constexpr double micro = 1e-6;

  std::optional<double> scaled(const char* file, double unit) const {
    const auto value = files::number(sensors_ / file);
    return value ? std::optional(*value * unit) : std::nullopt;
  }

  Path folder_;
  Path sensors_;
  int number_;
  std::string identity_;
};

using Devices = std::vector<std::unique_ptr<Watched>>;

Json first_line(const Devices& devices, const std::vector<std::string>& refused) {
  Json::Array sensors;
  Json::Array described;
  for (const auto& device : devices) {
    described.push_back(device->described());
    if (auto sensor = device->sensor()) sensors.push_back(std::move(*sensor));
  }
  return Json::object({{"host", host_name()},
                       {"time", seconds(CLOCK_REALTIME)},
                       {"sensors", std::move(sensors)},
                       {"refused", Json::array(refused)},
                       {"devices", std::move(described)}});
}

}  // namespace

void watch_devices(const Path& root, double interval) {
  const Pause pause;
  Devices devices;
  std::vector<std::string> refused;
  std::string why;
  const auto nvml = Nvml::open(why);
  if (nvml) {
    for (auto& device : nvml->devices()) {
      if (device.problem.empty() && !device.identity.empty()) {
        devices.push_back(std::make_unique<Nvidia>(*nvml, std::move(device), root));
      } else {
        refused.push_back("nvml/" + std::to_string(device.number) + ": " +
                          (device.problem.empty() ? "it does not say its identity" : device.problem));
      }
    }
  }
  int number = 0;
  for (const auto& bus : amd_devices(root)) {
    auto device = std::make_unique<Amd>(root, bus, number++);
    if (!device->identity().empty()) devices.push_back(std::move(device));
  }
  if (!write_line(first_line(devices, refused)) || devices.empty()) return;
  std::vector<bool> answers(devices.size(), true);
  double next = seconds(CLOCK_MONOTONIC);
  double all_again = next;
  double cost = 0.0;  // recent processor seconds per round
  do {
    const double begun = seconds(CLOCK_MONOTONIC);
    const double used = seconds(CLOCK_PROCESS_CPUTIME_ID);
    const bool briefly = begun < all_again;
    if (!briefly) all_again = begun + seldom;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      Json line = Json::object({{"device", devices[i]->identity()}});
      const bool answered = devices[i]->read(line, why, briefly);
      if (!answered) line.set("lost", why);
      // A reading may take long if the driver is busy, so check for the end after each.
      if ((answered || answers[i]) && !write_line(line)) return;
      answers[i] = answered;
      if (!pause.until(0.0)) return;
    }
    constexpr double latest = 0.2;  // weight of the latest round, so that a single costly one causes no gap
    const double now = seconds(CLOCK_PROCESS_CPUTIME_ID) - used;
    cost = cost == 0.0 ? now : (1.0 - latest) * cost + latest * now;
    const double pace = std::max(interval, cost / most_of_a_core);
    next += pace * (1.0 + std::floor(std::max(0.0, seconds(CLOCK_MONOTONIC) - next) / pace));
  } while (pause.until(next));
}

}  // namespace banzuke
