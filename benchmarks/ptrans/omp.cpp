#include <algorithm>
#include <cstddef>
#include <deque>
#include <span>

#include "core/array.hpp"
#include "core/clock.hpp"
#include "core/subcommunicator.hpp"
#include "layout.hpp"
#include "ptrans.hpp"

namespace banzuke::ptrans {
namespace {

// Elements of a cache line: small squares of this order use whole lines on both sides.
constexpr std::int64_t square = 8;
// MPI counts elements in an int.
constexpr std::int64_t longest_message = std::int64_t{1} << 28U;

enum class How { set, add };

// Writes the transpose of a square of `rows` x `columns` elements of `from`, or adds it.
template <How how>
void turn(const double* from, std::int64_t from_distance, std::int64_t rows, std::int64_t columns, double* to,
          std::int64_t to_distance) {
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      double& element = to[j + i * to_distance];
      const double value = from[i + j * from_distance];
      element = how == How::add ? element + value : value;
    }
  }
}

// Into the second cache: the first one has too few lines in flight to hide the memory's latency. Also for what will be
// written: asking for a line as one's own was slower.
void fetch(const double* line) { __builtin_prefetch(line, 0, 2); }

// The same for a tile of any extents. While it works, it fetches the tile at `next_from` and `next_to`, which is as
// large: the processor cannot foresee which columns come next. It goes along the columns of `to` first, because tiles
// follow each other there.
template <How how>
void turn_tile(const double* from, std::int64_t from_distance, std::int64_t rows, std::int64_t columns, double* to,
               std::int64_t to_distance, const double* next_from, const double* next_to) {
  for (std::int64_t i = 0; i < rows; i += square) {
    for (std::int64_t j = 0; j < columns; j += square) {
      const double* a = from + i + j * from_distance;
      double* c = to + j + i * to_distance;
      if (i + square <= rows && j + square <= columns) {
        for (std::int64_t k = 0; k < square; ++k) {
          fetch(next_from + i + (j + k) * from_distance);
          fetch(next_to + j + (i + k) * to_distance);
        }
        turn<how>(a, from_distance, square, square, c, to_distance);
      } else {
        turn<how>(a, from_distance, std::min(square, rows - i), std::min(square, columns - j), c, to_distance);
      }
    }
  }
}

// What travels to another rank and from it.
struct Exchange {
  Exchange(const SubCommunicator& ranks, const Route& to, const Route& from)
      : messages(ranks), out(static_cast<std::size_t>(to.sent)), in(static_cast<std::size_t>(from.received)) {}

  Transfer messages;
  Array<double> out;
  Array<double> in;
};

}  // namespace

struct Ptrans::Impl {
  Impl(const Params& params, const Communicator& world)
      : layout(params.n, params.nb, params.p, params.q, world.rank()),
        ranks(world, 0, world.rank()),
        a(room()),
        c(room()) {
    for (int step = 1; step < ranks.size(); ++step) {
      exchanges.emplace_back(ranks, layout.routes[receiver(step)], layout.routes[sender(step)]);
    }
    each([&](std::size_t at, std::int64_t row, std::int64_t column) {
      a[at] = a_at(row, column);
      c[at] = c_at(row, column);
    });
  }

  std::size_t room() const { return static_cast<std::size_t>(layout.distance * std::max<std::int64_t>(columns(), 1)); }
  std::int64_t columns() const { return layout.columns.own(); }
  // In step s, counted from 1, every rank sends to the rank that is s further, so that none gets all at once.
  std::size_t receiver(int step) const { return static_cast<std::size_t>((ranks.rank() + step) % ranks.size()); }
  std::size_t sender(int step) const {
    return static_cast<std::size_t>((ranks.rank() - step + ranks.size()) % ranks.size());
  }
  const Route& own() const { return layout.routes[static_cast<std::size_t>(ranks.rank())]; }

  // Calls part(local index, row, column) for each own element, by the threads that work on its column's tiles.
  template <class Function>
  void each(Function part) const {
    const std::int64_t rows = layout.rows.own();
    const std::int64_t count = columns();
#pragma omp parallel for schedule(static)
    for (std::int64_t column = 0; column < count; ++column) {
      const std::int64_t global_column = global(layout.columns, column);
      for (std::int64_t block = 0; block < rows; block += layout.rows.nb) {
        const std::int64_t first = global(layout.rows, block);  // a division for each block, not for each element
        for (std::int64_t row = block; row < std::min(block + layout.rows.nb, rows); ++row) {
          part(static_cast<std::size_t>(row + column * layout.distance), first + row - block, global_column);
        }
      }
    }
  }
  static std::int64_t global(const Axis& axis, std::int64_t local) {
    return (local / axis.nb * axis.places + axis.place) * axis.nb + local % axis.nb;
  }

  // Adds the transposes of own tiles of A to own tiles of C. Both lists have the same blocks in the same order.
  void add_own() {
    const std::vector<Tile>& from = own().leaving;
    const std::vector<Tile>& to = own().arriving;
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < from.size(); ++i) {
      const std::size_t next = std::min(i + 1, from.size() - 1);
      turn_tile<How::add>(a.data() + from[i].at, layout.distance, from[i].rows, from[i].columns, c.data() + to[i].at,
                          layout.distance, a.data() + from[next].at, c.data() + to[next].at);
    }
  }

  void pack(const Route& route, double* out) const {
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < route.leaving.size(); ++i) {
      const Tile& tile = route.leaving[i];
      const Tile& next = route.leaving[std::min(i + 1, route.leaving.size() - 1)];
      turn_tile<How::set>(a.data() + tile.at, layout.distance, tile.rows, tile.columns, out + tile.packed, tile.columns,
                          a.data() + next.at, out + next.packed);
    }
  }

  // Fetches the next tile, too, line by line in the order of its columns.
  void add(const Route& route, const double* in) {
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < route.arriving.size(); ++i) {
      const Tile& tile = route.arriving[i];
      const Tile& next = route.arriving[std::min(i + 1, route.arriving.size() - 1)];
      for (std::int64_t column = 0; column < tile.columns; ++column) {
        double* to = c.data() + tile.at + column * layout.distance;
        const double* from = in + tile.packed + column * tile.rows;
        const double* soon = c.data() + next.at + column * layout.distance;
        for (std::int64_t row = 0; row < tile.rows; row += square) fetch(soon + row);
        for (std::int64_t row = 0; row < tile.rows; ++row) to[row] += from[row];
      }
    }
  }

  static void post(Transfer& messages, int peer, Array<double>& in) {
    const auto size = static_cast<std::int64_t>(in.size());
    for (std::int64_t at = 0; at < size; at += longest_message) {
      messages.receive(peer, {in.data() + at, static_cast<std::size_t>(std::min(longest_message, size - at))}, 0);
    }
  }
  static void send(Transfer& messages, int peer, const Array<double>& out) {
    const auto size = static_cast<std::int64_t>(out.size());
    for (std::int64_t at = 0; at < size; at += longest_message) {
      messages.send(peer, {out.data() + at, static_cast<std::size_t>(std::min(longest_message, size - at))}, 0);
    }
  }

  Layout layout;
  SubCommunicator ranks;
  Array<double> a;  // by columns
  Array<double> c;
  std::deque<Exchange> exchanges;  // never move in memory
};

Ptrans::Ptrans(const Params& params, const Communicator& ranks) : impl_(make_hidden<Impl>(params, ranks)) {}

Times Ptrans::run() {
  Impl& my = *impl_;
  Times times;
  double last = now();
  const auto spent = [&](Part part) {
    const double time = now();
    times.parts.at(static_cast<std::size_t>(part)) += time - last;
    last = time;
  };
  const int size = my.ranks.size();
  const auto of = [&](int step) -> Exchange& { return my.exchanges[static_cast<std::size_t>(step - 1)]; };
  for (int step = 1; step < size; ++step) my.post(of(step).messages, static_cast<int>(my.sender(step)), of(step).in);
  spent(Part::exchange);
  for (int step = 1; step < size; ++step) {
    my.pack(my.layout.routes[my.receiver(step)], of(step).out.data());
    spent(Part::pack);
    my.send(of(step).messages, static_cast<int>(my.receiver(step)), of(step).out);
    spent(Part::exchange);
  }
  my.add_own();
  spent(Part::own);
  for (int step = 1; step < size; ++step) {
    of(step).messages.wait();
    spent(Part::exchange);
    my.add(my.layout.routes[my.sender(step)], of(step).in.data());
    spent(Part::add);
  }
  return times;
}

double Ptrans::sent(const Hosts& hosts) const {
  const auto& routes = impl_->layout.routes;
  const int here = hosts.of_rank[static_cast<std::size_t>(impl_->ranks.rank())];
  double bytes = 0.0;
  for (std::size_t rank = 0; rank < routes.size(); ++rank) {
    if (hosts.of_rank[rank] != here) bytes += 8.0 * static_cast<double>(routes[rank].sent);
  }
  return bytes;
}

std::int64_t Ptrans::wrong(std::int64_t rounds) const {
  std::int64_t wrong = 0;
  const auto times = static_cast<double>(rounds);
  impl_->each([&](std::size_t at, std::int64_t row, std::int64_t column) {
    if (impl_->c[at] != c_at(row, column) + times * a_at(column, row)) {
#pragma omp atomic
      ++wrong;
    }
  });
  return wrong;
}

double* Ptrans::first() { return impl_->layout.rows.own() > 0 && impl_->columns() > 0 ? impl_->c.data() : nullptr; }

}  // namespace banzuke::ptrans
