#include "core/subcommunicator.hpp"

#include <algorithm>
#include <stdexcept>

// A single rank has no peers: naming one is the caller's error.
namespace banzuke {
namespace {

[[noreturn]] void no_peer() { throw std::logic_error("a message to another rank, but there is only one"); }

}  // namespace

struct SubCommunicator::Impl {};

SubCommunicator::SubCommunicator(const Communicator& /*ranks*/, int /*color*/, int /*key*/) {}
SubCommunicator::~SubCommunicator() = default;

void SubCommunicator::exchange(int /*peer*/, std::span<const double> /*out*/, std::span<double> /*in*/) const {
  no_peer();
}
void SubCommunicator::send(int /*peer*/, std::span<const double> /*values*/) const { no_peer(); }
void SubCommunicator::receive(int /*peer*/, std::span<double> /*values*/) const { no_peer(); }
void SubCommunicator::broadcast(int /*root*/, std::span<double> /*values*/) const {}
void SubCommunicator::sum(std::span<double> /*values*/) const {}
void SubCommunicator::sum(int /*root*/, std::span<double> /*values*/) const {}
void SubCommunicator::all_to_all(std::span<const double> out, std::span<double> in) const {
  if (out.size() != in.size()) {
    throw std::invalid_argument("what goes to the ranks and comes from them must be equal parts");
  }
  std::ranges::copy(out, in.begin());
}

struct Transfer::Impl {};

Transfer::Transfer(const SubCommunicator& /*ranks*/) {}
Transfer::~Transfer() = default;
void Transfer::send(int /*peer*/, std::span<const double> /*values*/, int /*tag*/) { no_peer(); }
void Transfer::receive(int /*peer*/, std::span<double> /*values*/, int /*tag*/) { no_peer(); }
bool Transfer::done() { return true; }
void Transfer::wait() {}

}  // namespace banzuke
