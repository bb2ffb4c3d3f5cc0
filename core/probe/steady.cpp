#include "steady.hpp"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <string>
#include <string_view>

namespace banzuke {
namespace {

volatile std::sig_atomic_t ended = 0;

}  // namespace

double seconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

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

Pause::Pause() {
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

bool Pause::until(double time) const {
  while (ended == 0) {
    // Even with no time left, checks whether the end has come.
    const double left = std::fmax(0.0, time - seconds(CLOCK_MONOTONIC));
    timespec wait{};
    wait.tv_sec = static_cast<std::time_t>(left);
    wait.tv_nsec = static_cast<long>((left - std::floor(left)) * 1e9);
    pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    const int ready = ppoll(&input, 1, &wait, &before_);
    if (ready < 0 && errno != EINTR) return false;
    if (ready == 0 && seconds(CLOCK_MONOTONIC) >= time) return true;
    std::array<char, 256> words{};
    if (ready > 0 && read(STDIN_FILENO, words.data(), words.size()) <= 0) return false;
  }
  return false;
}

}  // namespace banzuke
