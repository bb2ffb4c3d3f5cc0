#include "layout.hpp"

#include <algorithm>

namespace banzuke::ptrans {
namespace {

// An odd number of cache lines.
std::int64_t distance_of(std::int64_t count) {
  constexpr std::int64_t line = 64 / sizeof(double);
  return (count + 2 * line - 1) / (2 * line) * (2 * line) + line;
}

}  // namespace

std::int64_t Axis::own() const {
  std::int64_t count = 0;
  if (place < blocks()) {
    const std::int64_t last = (blocks() - 1 - place) / places * places + place;  // last own block
    count = begin(last) + size(last);
  }
  return count;
}

Layout::Layout(std::int64_t n, std::int64_t nb, std::int64_t p, std::int64_t q, int rank)
    : rows{.n = n, .nb = nb, .places = p, .place = rank / q},
      columns{.n = n, .nb = nb, .places = q, .place = rank % q},
      distance(distance_of(std::max<std::int64_t>(rows.own(), 1))),
      routes(static_cast<std::size_t>(p * q)) {
  const std::int64_t blocks = rows.blocks();
  const auto at = [&](std::int64_t row, std::int64_t column) {
    return rows.begin(row) + columns.begin(column) * distance;
  };
  // Block (i, j) of A becomes block (j, i) of C.
  for (std::int64_t i = rows.place; i < blocks; i += p) {
    for (std::int64_t j = columns.place; j < blocks; j += q) {
      Route& route = routes[static_cast<std::size_t>(j % p * q + i % q)];
      route.leaving.push_back({.at = at(i, j), .rows = rows.size(i), .columns = columns.size(j), .packed = route.sent});
      route.sent += rows.size(i) * columns.size(j);
    }
  }
  for (std::int64_t i = columns.place; i < blocks; i += q) {
    for (std::int64_t j = rows.place; j < blocks; j += p) {
      Route& route = routes[static_cast<std::size_t>(i % p * q + j % q)];
      route.arriving.push_back(
          {.at = at(j, i), .rows = rows.size(j), .columns = columns.size(i), .packed = route.received});
      route.received += rows.size(j) * columns.size(i);
    }
  }
}

}  // namespace banzuke::ptrans
