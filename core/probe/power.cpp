#include "power.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <string_view>

#include "files.hpp"
#include "host.hpp"
#include "steady.hpp"

namespace banzuke {
namespace {

// A sensor's file, kept open; reading it from the start takes a new reading.
class Meter {
 public:
  explicit Meter(const Sensor& sensor)
      : id_(sensor.id), unit_(sensor.unit), file_(open(sensor.file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}

  const std::string& id() const { return id_; }
  std::optional<double> reading() const {
    std::array<char, 64> text{};
    const ssize_t size = pread(file_.get(), text.data(), text.size(), 0);
    if (size <= 0) return std::nullopt;
    const auto steps = files::leading_number(std::string_view(text.data(), static_cast<std::size_t>(size)));
    return steps ? std::optional(*steps * unit_) : std::nullopt;
  }

 private:
  std::string id_;
  double unit_;
  Descriptor file_;
};

Json described(const Sensors& sensors) {
  Json::Array all;
  for (const auto& sensor : sensors.readable) {
    Json one =
        Json::object({{"id", sensor.id}, {"kind", sensor.kind}, {"covers", sensor.covers}, {"name", sensor.name}});
    one.set("range", sensor.range ? Json(*sensor.range) : Json());
    if (!sensor.device.empty()) one.set("device", sensor.device);
    all.push_back(std::move(one));
  }
  return Json::object({{"host", host_name()},
                       {"time", seconds(CLOCK_REALTIME)},
                       {"sensors", std::move(all)},
                       {"refused", Json::array(sensors.refused)}});
}

Json reading(const std::vector<Meter>& meters) {
  const double before = seconds(CLOCK_REALTIME);
  Json values = Json::object();
  for (const auto& meter : meters) {
    if (const auto value = meter.reading()) values.set(meter.id(), *value);
  }
  const double after = seconds(CLOCK_REALTIME);
  return Json::object({{"time", 0.5 * (before + after)}, {"values", std::move(values)}});
}

}  // namespace

void tell_power(const Sensors& sensors, double interval) {
  const Pause pause;
  const std::vector<Meter> meters(sensors.readable.begin(), sensors.readable.end());
  if (!write_line(described(sensors)) || meters.empty()) return;
  double next = seconds(CLOCK_MONOTONIC);
  for (bool more = true; more;) {
    if (!write_line(reading(meters))) return;
    // A late reading does not shift later ones; missed ones are skipped.
    next += interval * (1.0 + std::floor(std::max(0.0, seconds(CLOCK_MONOTONIC) - next) / interval));
    more = pause.until(next);
    if (!more) write_line(reading(meters));
  }
}

}  // namespace banzuke
