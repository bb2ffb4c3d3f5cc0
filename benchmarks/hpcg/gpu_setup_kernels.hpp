// Generates the problem on the device, and stores it again for the solver.
#pragma once

#include "core/gpu/kernel.hpp"
#include "gpu_views.hpp"

namespace banzuke::hpcg {

inline constexpr int setup_threads = 128;

// Generates the rows of the 27-point stencil on a box, and the right-hand side for which the solution is 1 everywhere.
struct Generate {
  PartView part;
  gpu::Elements<std::int32_t> column;
  gpu::Elements<double> value;
  gpu::Elements<double> b;

  // Position along one direction: -1, 0 or 1 for before, in, or after the box.
  BANZUKE_GPU static int step(std::int64_t at, std::int64_t size) { return at < 0 ? -1 : at >= size ? 1 : 0; }
  BANZUKE_GPU static bool exists(std::int64_t at, std::int64_t whole) { return at >= 0 && at < whole; }

  BANZUKE_GPU std::int64_t index(std::int64_t i, std::int64_t j, std::int64_t c) const {
    const auto& [x, y, z] = part.box;
    const int across = step(i, x);
    const int along = step(j, y);
    const int up = step(c, z);
    const int direction = across + 1 + 3 * (along + 1) + 9 * (up + 1);
    constexpr int here = 13;
    if (direction == here) return i + x * (j + y * c);
    const std::int64_t wide = across == 0 ? x : 1;
    const std::int64_t high = along == 0 ? y : 1;
    return part.first[direction] + (across == 0 ? i : 0) + wide * ((along == 0 ? j : 0) + high * (up == 0 ? c : 0));
  }

  BANZUKE_GPU void operator()(std::int64_t row) const {
    const BoxView& box = part.box;
    const std::int64_t x = row % box.x;
    const std::int64_t y = row / box.x % box.y;
    const std::int64_t z = row / box.x / box.y;
    int k = 0;
    for (std::int64_t c = z - 1; c <= z + 1; ++c) {
      for (std::int64_t j = y - 1; j <= y + 1; ++j) {
        for (std::int64_t i = x - 1; i <= x + 1; ++i) {
          if (!exists(part.begin.x + i, part.whole.x) || !exists(part.begin.y + j, part.whole.y) ||
              !exists(part.begin.z + c, part.whole.z)) {
            continue;
          }
          const std::int64_t at = index(i, j, c);
          column[PlainView::at(row, k)] = static_cast<std::int32_t>(at);
          value[PlainView::at(row, k)] = at == row ? 26.0 : -1.0;
          ++k;
        }
      }
    }
    b[row] = 26.0 - (k - 1);
    for (; k < width; ++k) {
      column[PlainView::at(row, k)] = -1;
      value[PlainView::at(row, k)] = 0.0;
    }
  }
};

// Sets the rows' places: eight colours by the parity of the point's coordinates, the coarse grid's points last; within
// a colour in the grid's order. The matrix is checked afterwards for rows that depend on one of their own colour.
struct SetPlaces {
  BoxView box;
  gpu::Elements<const std::int64_t> first;
  gpu::Elements<std::int32_t> place_of;
  gpu::Elements<std::int32_t> row_of;

  BANZUKE_GPU void operator()(std::int64_t row) const {
    const std::int64_t x = row % box.x;
    const std::int64_t y = row / box.x % box.y;
    const std::int64_t z = row / box.x / box.y;
    const std::int64_t colour = stage_of(x % 2 + 2 * (y % 2) + 4 * (z % 2));
    const std::int64_t wide = (box.x + 1 - x % 2) / 2;
    const std::int64_t high = (box.y + 1 - y % 2) / 2;
    const std::int64_t place = first[colour] + x / 2 + wide * (y / 2 + high * (z / 2));
    place_of[row] = static_cast<std::int32_t>(place);
    row_of[place] = static_cast<std::int32_t>(row);
  }
};

// How a block of rows is stored: entries by the colour of their columns, each chunk as long as its longest row.
struct Storing {
  static constexpr int threads = setup_threads;
  static constexpr int chunks_here = threads / static_cast<int>(chunk_rows);
  struct Shared {
    std::int32_t count[colour_count][threads];
    std::int32_t slots[colour_count][chunks_here];
    std::int32_t column[width][threads];  // of each slot; negative: none in this row
    double conflicts[threads];
  };

  PlainView plain;
  std::int64_t places;
  gpu::Elements<const std::int64_t> first;  // by colour: its first place; one more ends the last
  gpu::Elements<const std::int32_t> place_of;
  gpu::Elements<const std::int32_t> row_of;

  BANZUKE_GPU int colour_of(std::int64_t place) const {
    int colour = 0;
    while (place >= first[colour + 1]) ++colour;
    return colour;
  }

  // Calls action(place of the column, its colour, value) for each entry of the row at a place.
  template <class Do>
  BANZUKE_GPU void for_entries(std::int64_t place, const Do& action) const {
    const std::int64_t row = place < places ? row_of[place] : -1;
    for (int k = 0; k < width && row >= 0; ++k) {
      const std::int32_t column = plain.column[PlainView::at(row, k)];
      if (column < 0) return;
      if (column >= plain.rows) continue;
      const std::int32_t at = place_of[column];
      action(at, colour_of(at), plain.value[PlainView::at(row, k)]);
    }
  }

  // Finds the slots of each chunk by colour; entries that join two rows of the same colour are conflicts.
  BANZUKE_GPU void find_slots(const gpu::Block<threads>& block, Shared& shared) const {
    const std::int64_t begin = block.index() * threads;
    block.each([&](int thread) {
      const std::int64_t place = begin + thread;
      const int own = place < places ? colour_of(place) : 0;
      for (auto& of_colour : shared.count) of_colour[thread] = 0;
      shared.conflicts[thread] = 0.0;
      for_entries(place, [&](std::int32_t at, int colour, double) {
        if (at == place) return;
        ++shared.count[colour][thread];
        if (colour == own) shared.conflicts[thread] += 1.0;
      });
    });
    block.each([&](int thread) {
      if (thread >= colour_count * chunks_here) return;
      const int colour = thread / chunks_here;
      const int chunk = thread % chunks_here;
      std::int32_t most = 0;
      for (int lane = 0; lane < chunk_rows; ++lane) {
        const std::int32_t one = shared.count[colour][chunk * static_cast<int>(chunk_rows) + lane];
        most = one > most ? one : most;
      }
      shared.slots[colour][chunk] = most;
    });
  }

  // Returns the matrix part of entries of colour `colour` in a chunk of colour `own`.
  BANZUKE_GPU static int part_of(int own, int colour) { return colour < own ? 0 : colour + 1 < colour_count ? 1 : 2; }
};

// Counts the slots of each chunk in each part; entries that cannot be stored count as conflicts.
struct Count {
  static constexpr int threads = Storing::threads;
  using Shared = Storing::Shared;

  Storing storing;
  gpu::Elements<std::int32_t> lengths;  // by chunk: in L, M and T
  gpu::Elements<double> conflicts;

  BANZUKE_GPU void operator()(const gpu::Block<threads>& block, Shared& shared) const {
    storing.find_slots(block, shared);
    const std::int64_t begin = block.index() * threads;
    block.each([&](int thread) {
      const std::int64_t chunks = storing.places / chunk_rows;
      const std::int64_t chunk = begin / chunk_rows + thread;
      if (thread >= Storing::chunks_here || chunk >= chunks) return;
      const int own = storing.colour_of(chunk * chunk_rows);
      std::int32_t length[matrix_parts] = {};
      for (int colour = 0; colour < colour_count; ++colour) {
        length[Storing::part_of(own, colour)] += shared.slots[colour][thread];
      }
      for (int part = 0; part < matrix_parts; ++part) lengths[matrix_parts * chunk + part] = length[part];
      if (length[0] + length[1] + length[2] > width) shared.conflicts[thread] += 1.0;
    });
    gpu::sum_of_block(block, shared.conflicts);
    block.each([&](int thread) {
      if (thread == 0 && shared.conflicts[0] > 0.0) gpu::add_at_once(conflicts, 0, shared.conflicts[0]);
    });
  }
};

struct Fill {
  static constexpr int threads = Storing::threads;
  using Shared = Storing::Shared;

  Storing storing;
  gpu::Elements<const std::int32_t> start;
  gpu::Elements<std::int32_t> base;
  gpu::Elements<std::uint16_t> offset;
  gpu::Elements<double> value;
  gpu::Elements<double> diagonal;
  gpu::Elements<double> conflicts;  // slots whose columns are too far apart

  BANZUKE_GPU void operator()(const gpu::Block<threads>& block, Shared& shared) const {
    storing.find_slots(block, shared);
    const std::int64_t begin = block.index() * threads;
    block.each([&](int thread) { set_columns(shared, begin + thread, thread); });
    block.each([&](int thread) {
      const std::int64_t chunk = begin / chunk_rows + thread;
      if (thread < Storing::chunks_here && chunk * chunk_rows < storing.places) set_bases(shared, chunk, thread);
    });
    block.each([&](int thread) { set_offsets(shared, begin + thread, thread); });
  }

 private:
  BANZUKE_GPU std::int64_t first_slot(std::int64_t chunk) const { return start[matrix_parts * chunk]; }
  BANZUKE_GPU int slots(std::int64_t chunk) const {
    return static_cast<int>(first_slot(chunk + 1) - first_slot(chunk));
  }

  // A chunk's slots are in the order of colours, hence of parts.
  BANZUKE_GPU void set_columns(Shared& shared, std::int64_t place, int thread) const {
    if (place >= storing.places) return;
    const std::int64_t chunk = place / chunk_rows;
    int next[colour_count];
    int slot = 0;
    for (int colour = 0; colour < colour_count; ++colour) {
      next[colour] = slot;
      slot += shared.slots[colour][thread / static_cast<int>(chunk_rows)];
    }
    for (int k = 0; k < slot; ++k) shared.column[k][thread] = -1;
    diagonal[place] = 1.0;
    storing.for_entries(place, [&](std::int32_t at, int colour, double entry) {
      if (at == place) {
        diagonal[place] = entry;
        return;
      }
      const int k = next[colour]++;
      shared.column[k][thread] = at;
      value[(first_slot(chunk) + k) * chunk_rows + place % chunk_rows] = entry;
    });
  }

  BANZUKE_GPU void set_bases(const Shared& shared, std::int64_t chunk, int chunk_here) const {
    constexpr std::int32_t reach = 65535;
    for (int k = 0; k < slots(chunk); ++k) {
      std::int32_t least = -1;
      std::int32_t most = -1;
      for (int lane = 0; lane < chunk_rows; ++lane) {
        const std::int32_t column = shared.column[k][chunk_here * static_cast<int>(chunk_rows) + lane];
        if (column < 0) continue;
        least = least < 0 || column < least ? column : least;
        most = column > most ? column : most;
      }
      base[first_slot(chunk) + k] = least;
      if (most - least > reach) gpu::add_at_once(conflicts, 0, 1.0);
    }
  }

  // Padding is 0 times a value that another row reads, so that nothing is changing it.
  BANZUKE_GPU void set_offsets(const Shared& shared, std::int64_t place, int thread) const {
    if (place >= storing.places) return;
    const std::int64_t chunk = place / chunk_rows;
    for (int k = 0; k < slots(chunk); ++k) {
      const std::int32_t column = shared.column[k][thread];
      const std::int64_t slot = first_slot(chunk) + k;
      const std::int64_t at = slot * chunk_rows + place % chunk_rows;
      offset[at] = static_cast<std::uint16_t>(column < 0 ? 0 : column - base[slot]);
      if (column < 0) value[at] = 0.0;
    }
  }
};

// Rows that need external ones: their places and these entries; columns follow `places`.
struct SetEdges {
  PlainView plain;
  std::int64_t edges;
  std::int64_t places;
  gpu::Elements<const std::int32_t> rows;
  gpu::Elements<const std::int32_t> place_of;
  gpu::Elements<std::int32_t> place;
  gpu::Elements<std::int32_t> column;  // entries k of all edges are contiguous; negative: no more
  gpu::Elements<double> value;

  BANZUKE_GPU void operator()(std::int64_t edge) const {
    const std::int64_t row = rows[edge];
    place[edge] = place_of[row];
    int found = 0;
    for (int k = 0; k < width; ++k) {
      const std::int32_t at = plain.column[PlainView::at(row, k)];
      if (at < plain.rows) continue;
      column[found * edges + edge] = static_cast<std::int32_t>(at - plain.rows + places);
      value[found * edges + edge] = plain.value[PlainView::at(row, k)];
      ++found;
    }
    if (found < width) column[found * edges + edge] = -1;
  }
};

// Replaces rows by their places.
struct SetSent {
  gpu::Elements<const std::int32_t> place_of;
  gpu::Elements<std::int32_t> rows;

  BANZUKE_GPU void operator()(std::int64_t i) const { rows[i] = place_of[rows[i]]; }
};

// Sets, for each coarse row, the row of the finer grid at the same point.
struct SetFineRows {
  BoxView fine;
  BoxView coarse;
  gpu::Elements<std::int32_t> rows;

  BANZUKE_GPU void operator()(std::int64_t row) const {
    const std::int64_t x = row % coarse.x;
    const std::int64_t y = row / coarse.x % coarse.y;
    const std::int64_t z = row / coarse.x / coarse.y;
    rows[row] = static_cast<std::int32_t>(2 * x + fine.x * (2 * y + fine.y * 2 * z));
  }
};

// Sets, for each place of the last colour, the place of the same point on the coarse grid. Counts coarse points of
// other colours, of which there must be none.
struct SetCoarsePlaces {
  gpu::Elements<const std::int32_t> fine_row;
  gpu::Elements<const std::int32_t> fine_place_of;
  gpu::Elements<const std::int32_t> coarse_place_of;
  std::int64_t last;
  gpu::Elements<std::int32_t> coarse_place;
  gpu::Elements<double> conflicts;

  BANZUKE_GPU void operator()(std::int64_t row) const {
    const std::int64_t place = fine_place_of[fine_row[row]];
    if (place >= last) {
      coarse_place[place - last] = coarse_place_of[row];
    } else {
      gpu::add_at_once(conflicts, 0, 1.0);
    }
  }
};

// to[place] = from[row], or `other` if there is no row.
struct ToPlaces {
  gpu::Elements<const std::int32_t> row_of;
  double other;
  gpu::Elements<const double> from;
  gpu::Elements<double> to;

  BANZUKE_GPU void operator()(std::int64_t place) const {
    const std::int32_t row = row_of[place];
    to[place] = row < 0 ? other : from[row];
  }
};

struct ToRows {
  gpu::Elements<const std::int32_t> place_of;
  gpu::Elements<const double> from;
  gpu::Elements<double> to;

  BANZUKE_GPU void operator()(std::int64_t row) const { to[row] = from[place_of[row]]; }
};

}  // namespace banzuke::hpcg
