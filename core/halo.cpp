#include "core/halo.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace banzuke {
namespace {

constexpr int tag = 1;

}  // namespace

Halo::Halo(const SubCommunicator& ranks, std::vector<Neighbour> neighbours, std::int64_t rows, int width)
    : transfer_(ranks), neighbours_(std::move(neighbours)), rows_(rows), width_(static_cast<std::size_t>(width)) {
  std::size_t sent = 0;
  for (const auto& neighbour : neighbours_) {
    sent += neighbour.send.size();
    external_ += neighbour.receive;
  }
  buffer_.resize(sent * width_);
}

void Halo::start(double* x) {
  double* to = x + static_cast<std::size_t>(rows_) * width_;
  for (const auto& neighbour : neighbours_) {
    const std::size_t size = static_cast<std::size_t>(neighbour.receive) * width_;
    transfer_.receive(neighbour.rank, {to, size}, tag);
    to += size;
  }
  double* out = buffer_.data();
  for (const auto& neighbour : neighbours_) {
    const std::span<const double> message{out, neighbour.send.size() * width_};
    for (const auto row : neighbour.send) {
      out = std::copy_n(x + static_cast<std::size_t>(row) * width_, width_, out);
    }
    transfer_.send(neighbour.rank, message, tag);
  }
}

}  // namespace banzuke
