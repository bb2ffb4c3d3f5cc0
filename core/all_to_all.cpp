#include "core/all_to_all.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>

namespace banzuke {
namespace {

constexpr std::size_t longest_message = std::size_t{1} << 30U;  // numbers; MPI counts with int
constexpr std::size_t copied_at_once = std::size_t{1} << 15U;

void copy(std::span<const double> from, std::span<double> to) {
  const auto chunks = static_cast<std::int64_t>((from.size() + copied_at_once - 1) / copied_at_once);
#pragma omp parallel for schedule(static) if (chunks > 4)
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
    const std::size_t at = static_cast<std::size_t>(chunk) * copied_at_once;
    std::ranges::copy(from.subspan(at, std::min(copied_at_once, from.size() - at)), to.data() + at);
  }
}

}  // namespace

AllToAll::AllToAll(const SubCommunicator& ranks, int pieces, int tag)
    : rank_(static_cast<std::size_t>(ranks.rank())), size_(static_cast<std::size_t>(ranks.size())), tag_(tag) {
  for (int piece = 0; piece < pieces; ++piece) transfers_.emplace_back(ranks);
}

void AllToAll::start_numbers(int piece, std::span<const double> out, std::span<double> in) {
  if (out.size() != in.size() || out.size() % size_ != 0) {
    throw std::invalid_argument("what goes to the ranks and comes from them must be equal parts");
  }
  Transfer& transfer = transfers_.at(static_cast<std::size_t>(piece));
  const std::size_t count = out.size() / size_;
  const auto messages = [&](auto all, std::size_t peer, const auto& pass) {
    const auto part = all.subspan(peer * count, count);
    for (std::size_t at = 0; at < count; at += longest_message) {
      pass(part.subspan(at, std::min(longest_message, count - at)));
    }
  };
  // Each rank begins with another one, so that none is sent everything at once.
  for (std::size_t step = 1; step < size_; ++step) {
    const std::size_t source = (rank_ + size_ - step) % size_;
    messages(in, source, [&](auto part) { transfer.receive(static_cast<int>(source), part, tag_ + piece); });
  }
  for (std::size_t step = 1; step < size_; ++step) {
    const std::size_t target = (rank_ + step) % size_;
    messages(out, target, [&](auto part) { transfer.send(static_cast<int>(target), part, tag_ + piece); });
  }
  copy(out.subspan(rank_ * count, count), in.subspan(rank_ * count, count));
}

bool AllToAll::done() {
  bool all = true;
  for (Transfer& transfer : transfers_) all &= transfer.done();
  return all;
}

void AllToAll::wait() {
  for (Transfer& transfer : transfers_) transfer.wait();
}

}  // namespace banzuke
