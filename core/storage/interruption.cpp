#include "core/storage/interruption.hpp"

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>

namespace banzuke {
namespace {

constexpr std::array ending_signals{SIGINT, SIGTERM, SIGHUP};
constexpr std::array<const char*, 3> signal_names{"SIGINT", "SIGTERM", "SIGHUP"};
std::array<struct sigaction, ending_signals.size()> usual_actions{};

}  // namespace

volatile std::sig_atomic_t Interruption::signal_ = 0;

Interruption::Interruption() {
  signal_ = 0;
  for (std::size_t i = 0; i < ending_signals.size(); ++i) {
    sigaction(ending_signals[i], nullptr, &usual_actions[i]);
    if (usual_actions[i].sa_handler == SIG_IGN) continue;  // nohup
    struct sigaction action{};
    action.sa_handler = note;
    action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
    sigaction(ending_signals[i], &action, nullptr);
  }
}

Interruption::~Interruption() {
  for (std::size_t i = 0; i < ending_signals.size(); ++i) sigaction(ending_signals[i], &usual_actions[i], nullptr);
}

void Interruption::check() {
  for (std::size_t i = 0; i < ending_signals.size(); ++i) {
    if (signal_ == ending_signals[i]) throw std::runtime_error(std::string("ended by ") + signal_names[i]);
  }
}

}  // namespace banzuke
