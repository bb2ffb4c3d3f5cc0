#include "power.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <ctime>
#include <string_view>

#include "files.hpp"
#include "host.hpp"

namespace banzuke {
namespace {

double seconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Files stay open: reading one from its beginning takes a reading anew.
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

// False: nobody reads.
bool write_line(const Json& line) {
  const std::string text = line.dump() + "\n";
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t some = write(STDOUT_FILENO, rest.data(), rest.size());
    if (some < 0 && errno == EINTR) continue;
    if (some <= 0) return false;
    rest.remove_prefix(static_cast<std::size_t>(some));
  }
  return true;
}

volatile std::sig_atomic_t ended = 0;

// Waits until a time of the monotonic clock, without the use of a processor. False: the end has come before.
class Pause {
 public:
  // Signals come while it waits and nowhere else.
  Pause() {
    struct sigaction action{};
    action.sa_handler = [](int) { ended = 1; };
    sigset_t all;
    sigemptyset(&all);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
      sigaction(signal, &action, nullptr);
      sigaddset(&all, signal);
    }
    sigprocmask(SIG_BLOCK, &all, &before_);
    std::signal(SIGPIPE, SIG_IGN);
  }

  bool until(double time) const {
    while (ended == 0) {
      const double left = time - seconds(CLOCK_MONOTONIC);
      if (left <= 0.0) return true;
      timespec wait{};
      wait.tv_sec = static_cast<std::time_t>(left);
      wait.tv_nsec = static_cast<long>((left - std::floor(left)) * 1e9);
      pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
      const int ready = ppoll(&input, 1, &wait, &before_);
      if (ready < 0 && errno != EINTR) return false;
      std::array<char, 256> words{};
      if (ready > 0 && read(STDIN_FILENO, words.data(), words.size()) <= 0) return false;
    }
    return false;
  }

 private:
  sigset_t before_{};
};

Json described(const Sensors& sensors) {
  Json::Array all;
  for (const auto& sensor : sensors.readable) {
    Json one =
        Json::object({{"id", sensor.id}, {"kind", sensor.kind}, {"covers", sensor.covers}, {"name", sensor.name}});
    one.set("range", sensor.range ? Json(*sensor.range) : Json());
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
    // A reading that comes late does not move those after it; those whose time has passed are left out.
    next += interval * (1.0 + std::floor(std::max(0.0, seconds(CLOCK_MONOTONIC) - next) / interval));
    more = pause.until(next);
    if (!more) write_line(reading(meters));
  }
}

}  // namespace banzuke
