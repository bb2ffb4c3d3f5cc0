#include "schedule.hpp"

#include <algorithm>
#include <bit>

namespace banzuke::hpl {
namespace {

// Numbers relative to the root make every pattern start at 0. Two ranks may change places: the one after the root and
// whoever is to be served first.
struct Circle {
  int size;
  int root;
  int first = 1;  // as it would be numbered without that

  int relative(int rank) const { return exchanged((rank - root + size) % size); }
  int rank(int relative) const { return (exchanged(relative) + root) % size; }
  int exchanged(int number) const { return number == 1 ? first : number == first ? 1 : number; }
};

// The whole buffer passes along ranks `first`..`last`, of which the first gets it from rank 0.
void chain(Schedule& schedule, int me, int first, int last, std::int64_t length) {
  if (first > last) return;
  if (me == 0) {
    if (schedule.empty()) schedule.emplace_back();
    schedule.front().push_back({.peer = first, .begin = 0, .end = length});
  } else if (me >= first && me <= last) {
    schedule.push_back({{.peer = me == first ? 0 : me - 1, .begin = 0, .end = length, .incoming = true}});
    if (me < last) schedule.push_back({{.peer = me + 1, .begin = 0, .end = length}});
  }
}

// Numbers of ranks are relative to the root from here on.
Schedule scatter_from_zero(int me, int size, std::span<const std::int64_t> offsets) {
  const auto part = [&](int first, int last) {
    return Message{.begin = offsets[static_cast<std::size_t>(first)],
                   .end = offsets[static_cast<std::size_t>(std::min(last, size))]};
  };
  Schedule schedule;
  for (int width = static_cast<int>(std::bit_ceil(static_cast<unsigned>(size))) / 2; width > 0; width /= 2) {
    Message message;
    if (me % (2 * width) == 0 && me + width < size) {
      message = part(me + width, me + 2 * width);
      message.peer = me + width;
    } else if (me % (2 * width) == width) {
      message = part(me, me + width);
      message.peer = me - width;
      message.incoming = true;
    }
    if (message.begin < message.end) schedule.push_back({message});
  }
  return schedule;
}

void add(Step& step, Message message) {
  if (message.begin < message.end) step.push_back(message);
}

std::vector<std::int64_t> equal_parts(std::int64_t length, int parts) {
  std::vector<std::int64_t> offsets;
  for (int i = 0; i <= parts; ++i) offsets.push_back(length * i / parts);
  return offsets;
}

Schedule scatter_and_roll(int me, int size, std::int64_t length) {
  const auto offsets = equal_parts(length, size);
  Schedule schedule = scatter_from_zero(me, size, offsets);
  std::ranges::move(roll(me, size, offsets), std::back_inserter(schedule));
  return schedule;
}

Schedule broadcast_from_zero(Broadcast kind, int me, int size, std::int64_t length) {
  Schedule schedule;
  const int half = size / 2;
  switch (kind) {
    case Broadcast::ring:
      chain(schedule, me, 1, size - 1, length);
      break;
    case Broadcast::ring_modified:
      chain(schedule, me, 1, 1, length);
      chain(schedule, me, 2, size - 1, length);
      break;
    case Broadcast::two_ring:
      chain(schedule, me, 1, half, length);
      chain(schedule, me, half + 1, size - 1, length);
      break;
    case Broadcast::two_ring_modified:
      chain(schedule, me, 1, 1, length);
      chain(schedule, me, 2, half, length);
      chain(schedule, me, std::max(2, half + 1), size - 1, length);
      break;
    case Broadcast::scatter:
      return scatter_and_roll(me, size, length);
    case Broadcast::scatter_modified:
      chain(schedule, me, 1, 1, length);
      if (me != 1 && size > 2) {
        // The others close ranks: 0, 2, 3, ... are numbered 0, 1, 2, ...
        for (Step& step : scatter_and_roll(me == 0 ? 0 : me - 1, size - 1, length)) {
          for (Message& message : step) message.peer += message.peer > 0 ? 1 : 0;
          schedule.push_back(std::move(step));
        }
      }
      break;
  }
  return schedule;
}

void renumber(Schedule& schedule, const Circle& circle) {
  for (Step& step : schedule) {
    for (Message& message : step) message.peer = circle.rank(message.peer);
  }
}

}  // namespace

Schedule broadcast(Broadcast kind, int rank, int size, const Senders& senders, std::int64_t length) {
  if (size == 1 || length == 0) return {};
  const auto [root, next] = senders;
  const Circle circle{.size = size, .root = root, .first = next == root ? 1 : (next - root + size) % size};
  Schedule schedule = broadcast_from_zero(kind, circle.relative(rank), size, length);
  renumber(schedule, circle);
  return schedule;
}

Schedule scatter(int rank, int size, int root, std::span<const std::int64_t> offsets) {
  const Circle circle{size, root};
  Schedule schedule = scatter_from_zero(circle.relative(rank), size, offsets);
  renumber(schedule, circle);
  return schedule;
}

Schedule roll(int rank, int size, std::span<const std::int64_t> offsets) {
  const auto block = [&](int i) { return static_cast<std::size_t>((i + size) % size); };
  Schedule schedule;
  for (int i = 0; i + 1 < size; ++i) {
    const std::size_t out = block(rank - i);
    const std::size_t in = block(rank - i - 1);
    Step step;
    add(step, {.peer = (rank + 1) % size, .begin = offsets[out], .end = offsets[out + 1]});
    add(step, {.peer = (rank + size - 1) % size, .begin = offsets[in], .end = offsets[in + 1], .incoming = true});
    schedule.push_back(std::move(step));
  }
  return schedule;
}

Schedule binary_exchange(int rank, int size, std::span<const std::int64_t> offsets) {
  // Ranks beyond a power of two join with a neighbour first: pair 2i, 2i+1 for the first `extra` pairs.
  const int power = static_cast<int>(std::bit_floor(static_cast<unsigned>(size)));
  const int extra = size - power;
  const auto first_of = [&](int place) { return static_cast<std::size_t>(place < extra ? 2 * place : place + extra); };
  Schedule schedule;
  const auto step = [&](Message one, Message other) {
    Step messages;
    add(messages, one);
    add(messages, other);
    schedule.push_back(std::move(messages));
  };
  const auto me = static_cast<std::size_t>(rank);
  const bool paired = rank < 2 * extra;
  const Message all{.begin = offsets.front(), .end = offsets.back()};
  if (paired && rank % 2 == 1) {
    step({.peer = rank - 1, .begin = offsets[me], .end = offsets[me + 1]}, {});
    step({.peer = rank - 1, .begin = all.begin, .end = all.end, .incoming = true}, {});
    return schedule;
  }
  if (paired) step({.peer = rank + 1, .begin = offsets[me + 1], .end = offsets[me + 2], .incoming = true}, {});
  const int place = paired ? rank / 2 : rank - extra;
  for (int width = 1; width < power; width *= 2) {
    const int mine = place / width * width;
    const int theirs = mine ^ width;
    const int peer = static_cast<int>(first_of(place ^ width));
    step(
        {.peer = peer, .begin = offsets[first_of(mine)], .end = offsets[first_of(mine + width)]},
        {.peer = peer, .begin = offsets[first_of(theirs)], .end = offsets[first_of(theirs + width)], .incoming = true});
  }
  if (paired) step({.peer = rank + 1, .begin = all.begin, .end = all.end}, {});
  return schedule;
}

Communication::Communication(const SubCommunicator& ranks, std::span<double> buffer, Schedule schedule, Purpose purpose)
    : buffer_(buffer), tag_(static_cast<int>(purpose)), schedule_(std::move(schedule)), transfer_(ranks) {
  start();
}

void Communication::start() {
  if (next_ == schedule_.size()) return;
  for (const Message& message : schedule_[next_]) {
    const auto part =
        buffer_.subspan(static_cast<std::size_t>(message.begin), static_cast<std::size_t>(message.end - message.begin));
    if (message.incoming) {
      transfer_.receive(message.peer, part, tag_);
    } else {
      transfer_.send(message.peer, part, tag_);
    }
  }
}

bool Communication::poll() {
  while (next_ < schedule_.size() && transfer_.done()) {
    ++next_;
    start();
  }
  return next_ == schedule_.size();
}

void Communication::finish() {
  while (next_ < schedule_.size()) {
    transfer_.wait();
    ++next_;
    start();
  }
}

}  // namespace banzuke::hpl
