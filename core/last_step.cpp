#include "core/last_step.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <ctime>
#include <string>
#include <system_error>

namespace banzuke {
namespace {

// A step's line. A signal handler may neither allocate nor lock, so a new line is written completely beside the current
// one and then made current.
struct Line {
  std::array<char, 240> text{};
  std::size_t length = 0;
};
std::array<Line, 2> lines;
std::atomic<const Line*> current{nullptr};
Line prefix;

void put(Line& line, std::string_view text) {
  for (const char c : text.substr(0, line.text.size() - line.length)) line.text.at(line.length++) = c;
}

void tell(int /*signal*/) {
  const int kept = errno;
  Line out = prefix;
  if (const Line* line = current.load()) put(out, {line->text.data(), line->length});
  out.text.at(out.length < out.text.size() ? out.length++ : out.length - 1) = '\n';
  [[maybe_unused]] const auto written = write(STDERR_FILENO, out.text.data(), out.length);
  errno = kept;
}

}  // namespace

void set_step(std::string_view text) {
  Line& next = current.load() == lines.data() ? lines[1] : lines[0];
  next.length = 0;
  put(next, text);
  current = &next;
}

void tell_step_every(double seconds, int rank) {
  prefix.length = 0;
  put(prefix, "step " + std::to_string(rank) + " ");
  if (!current.load()) set_step("set-up");
  struct sigaction action{};
  action.sa_handler = tell;
  action.sa_flags = SA_RESTART;
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGALRM;
  timer_t timer{};
  itimerspec due{};
  due.it_value.tv_sec = static_cast<std::time_t>(seconds);
  const double rest = seconds - static_cast<double>(due.it_value.tv_sec);
  due.it_value.tv_nsec = std::max(1L, static_cast<long>(rest * 1e9));  // 0 would disarm the timer
  due.it_interval = due.it_value;
  if (sigaction(SIGALRM, &action, nullptr) != 0 || timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 ||
      timer_settime(timer, 0, &due, nullptr) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot set a timer for the time limit");
  }
}

}  // namespace banzuke
