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

// Exchanges with every other rank: part i of `out` goes to rank i, part i of `in` comes from it. Each rank starts with
// a different peer, so that no rank is flooded. A rank's part for itself is copied.
void exchange(Transfer& transfer, std::size_t rank, std::size_t ranks, int tag, std::span<const double> out,
              std::span<double> in) {
  const std::size_t count = out.size() / ranks;
  const auto messages = [&](auto all, std::size_t peer, const auto& pass) {
    const auto part = all.subspan(peer * count, count);
    for (std::size_t at = 0; at < count; at += longest_message) {
      pass(part.subspan(at, std::min(longest_message, count - at)));
    }
  };
  for (std::size_t step = 1; step < ranks; ++step) {
    const std::size_t source = (rank + ranks - step) % ranks;
    messages(in, source, [&](auto part) { transfer.receive(static_cast<int>(source), part, tag); });
  }
  for (std::size_t step = 1; step < ranks; ++step) {
    const std::size_t target = (rank + step) % ranks;
    messages(out, target, [&](auto part) { transfer.send(static_cast<int>(target), part, tag); });
  }
  copy(out.subspan(rank * count, count), in.subspan(rank * count, count));
}

// Transposes a rows x columns matrix of parts of `count` numbers.
void transpose(std::span<const double> from, std::size_t rows, std::size_t columns, std::size_t count, double* to) {
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      std::ranges::copy(from.subspan((row * columns + column) * count, count), to + (column * rows + row) * count);
    }
  }
}

std::size_t unsigned_of(int value) { return static_cast<std::size_t>(value); }

}  // namespace

AllToAll::Piece::Piece(const SubCommunicator& ranks, const Blocks* blocks) : direct(ranks) {
  if (blocks != nullptr) combined.emplace(*blocks);
}

AllToAll::AllToAll(const SubCommunicator& ranks, int pieces, int tag, const Blocks* blocks)
    : rank_(unsigned_of(ranks.rank())), size_(unsigned_of(ranks.size())), tag_(tag) {
  // With a single block, or one rank in each, there is nothing to combine.
  const bool useful = blocks != nullptr && blocks->within.size() > 1 && blocks->across.size() > 1;
  if (useful) block_ = unsigned_of(blocks->within.size());
  for (int piece = 0; piece < pieces; ++piece) pieces_.emplace_back(ranks, useful ? blocks : nullptr);
}

void AllToAll::start_numbers(int piece, std::span<const double> out, std::span<double> in) {
  if (out.size() != in.size() || out.size() % size_ != 0) {
    throw std::invalid_argument("what goes to the ranks and comes from them must be equal parts");
  }
  Piece& one = pieces_.at(unsigned_of(piece));
  if (one.combined && out.size_bytes() / size_ < short_part) {
    start_combined(*one.combined, tag_ + piece, out, in);
  } else {
    exchange(one.direct, rank_, size_, tag_ + piece, out, in);
  }
}

void AllToAll::start_combined(Combined& combined, int tag, std::span<const double> out, std::span<double> in) const {
  combined.leaving.resize(out.size());
  combined.in = in;
  combined.first = true;
  transpose(out, size_ / block_, block_, out.size() / size_, combined.leaving.data());
  exchange(combined.within, rank_ % block_, block_, tag, combined.leaving, in);
}

void AllToAll::pass_on(Combined& combined, int tag) const {
  combined.first = false;
  transpose(combined.in, block_, size_ / block_, combined.in.size() / size_, combined.leaving.data());
  exchange(combined.across, rank_ / block_, size_ / block_, tag, combined.leaving, combined.in);
}

bool AllToAll::done() {
  bool all = true;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    Piece& piece = pieces_[i];
    all &= piece.direct.done();
    if (!piece.combined) continue;
    if (piece.combined->first && piece.combined->within.done()) pass_on(*piece.combined, tag_ + static_cast<int>(i));
    all &= !piece.combined->first && piece.combined->across.done();
  }
  return all;
}

void AllToAll::wait(int piece) {
  Piece& one = pieces_.at(unsigned_of(piece));
  one.direct.wait();
  if (!one.combined) return;
  if (one.combined->first) {
    one.combined->within.wait();
    pass_on(*one.combined, tag_ + piece);
  }
  one.combined->across.wait();
}

void AllToAll::wait() {
  for (std::size_t piece = 0; piece < pieces_.size(); ++piece) wait(static_cast<int>(piece));
}

}  // namespace banzuke
