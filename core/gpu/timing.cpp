#include "core/gpu/timing.hpp"

#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include "core/clock.hpp"

namespace banzuke::gpu {

namespace {

// A moment as read from both clocks. If the host loses its processor in between, its reading is late, so the fastest of
// several readings counts.
class Moment {
 public:
  explicit Moment(const Stream& stream) {
    double least = std::numeric_limits<double>::max();
    for (const auto& event : events_) {
      const double begin = now();
      event.record(stream);
      event.wait();
      const double end = now();
      if (end - begin > least) continue;
      least = end - begin;
      device_ = &event;
      host_ = end;
    }
  }
  double by_device(const Moment& earlier) const { return device_->seconds_since(*earlier.device_); }
  double by_host(const Moment& earlier) const { return host_ - earlier.host_; }

 private:
  std::array<Event, 16> events_;
  const Event* device_ = nullptr;
  double host_ = 0.0;
};

}  // namespace

double clock_difference(const Stream& stream) {
  const Moment first(stream);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const Moment last(stream);
  const double host = last.by_host(first);  // the latency of seeing an event complete cancels
  return std::abs(last.by_device(first) - host) / host;
}

std::vector<Verification> clock_checks(const Stream& stream) {
  if (!has_clock()) return {};
  return {{"difference of the device's clock from the host's", clock_difference(stream), clock_tolerance}};
}

}  // namespace banzuke::gpu
