// Whatever is in the kernel's files, in which processes choose their own names, the results remain valid times and
// counts.
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/cpulist.hpp"
#include "core/fuzz/demand.hpp"
#include "system.hpp"
#include "trace.hpp"

namespace banzuke::noise {
namespace {

void check_trace(const std::string& text) {
  Blamer blamer;
  for (const auto& line : split(text, '\n')) blamer.line(line);
  demand(blamer.lost() >= 0, "lost events are counted");
  for (const auto& one : blamer.blame()) {
    demand(one.events > 0, "who is blamed was there");
    demand(std::isfinite(one.seconds) && one.longest >= 0.0 && one.seconds >= one.longest, "times are times");
  }
}

void check_counts(const std::string& text) {
  for (const auto& [name, count] : interrupts(text, {0, 1})) demand(count >= 0, "interrupts are counted");
  for (const auto& [name, count] : softirqs(text, {0, 1})) demand(count >= 0, "softirqs are counted");
  demand(stolen(text, {0, 1}) >= 0, "stolen ticks are counted");
  run_delay(text);
}

}  // namespace
}  // namespace banzuke::noise

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  banzuke::noise::check_trace(text);
  banzuke::noise::check_counts(text);
  return 0;
}
