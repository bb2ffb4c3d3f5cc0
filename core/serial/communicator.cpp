#include "core/communicator.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>

namespace banzuke {

Communicator::Communicator(int& /*argc*/, char**& /*argv*/) {}
Communicator::~Communicator() = default;

void Communicator::barrier() const {}
void Communicator::maximum(std::span<double> /*values*/) const {}
void Communicator::sum(std::span<double> /*values*/) const {}
std::vector<std::string> Communicator::gather(const std::string& text) const { return {text}; }
void Communicator::abort(int status) const { std::_Exit(status); }
std::string Communicator::library() { return "none"; }
std::string Communicator::library_file() { return "none"; }

std::string_view Communicator::implementation() { return "none"; }

std::string Communicator::host() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

}  // namespace banzuke
