// Memory layout of the points of f and of the results.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gkv.hpp"

namespace banzuke::gkv {

inline constexpr std::int64_t complex_bytes = 16;
inline constexpr std::int64_t line = 4;  // complex numbers per cache line

// Ghost points that differences read, on both sides of a dimension; for m only above, because f is mirrored at m = 0.
struct Ghosts {
  std::int64_t x = 0;
  std::int64_t y = 0;
  std::int64_t z = 0;
  std::int64_t v = 0;
  std::int64_t m = 0;
};

constexpr std::int64_t whole_lines(std::int64_t complex_numbers) { return (complex_numbers + line - 1) / line * line; }

// Strides in complex numbers. Each (kx, ky) plane starts on a cache line, and so does each row of kx if there are
// ghosts or `rows` requests it, so that non-temporal stores write whole lines.
class Layout {
 public:
  Layout(const Shape& own, const Ghosts& ghosts, bool rows = false)
      : own_(own),
        ghosts_(ghosts),
        row_(rows || ghosts.x > 0 ? whole_lines(ghosts.x) + whole_lines(own.kx + ghosts.x) : own.kx),
        plane_(whole_lines(row_ * (own.ky + 2 * ghosts.y))),
        v_(plane_ * (own.z + 2 * ghosts.z) + skew),
        m_(v_ * (own.v + 2 * ghosts.v)),
        first_(whole_lines(ghosts.x) + row_ * ghosts.y + plane_ * ghosts.z + v_ * ghosts.v) {}

  // The offset of a row's first own point; indices count from the first own row, plane, ...; ghosts below have negative
  // ones.
  std::int64_t at(std::int64_t y, std::int64_t z, std::int64_t v, std::int64_t m) const {
    return first_ + row_ * y + plane_ * z + v_ * v + m_ * m;
  }
  std::int64_t size() const { return m_ * (own_.m + ghosts_.m); }
  std::int64_t row() const { return row_; }
  std::int64_t plane() const { return plane_; }
  std::int64_t v() const { return v_; }
  std::int64_t m() const { return m_; }
  const Shape& own() const { return own_; }
  const Ghosts& ghosts() const { return ghosts_; }

 private:
  // A few lines, so that neighbours along v and m do not map to the same cache sets if the plane size is a power of
  // two.
  static constexpr std::int64_t skew = 17 * line;

  Shape own_;
  Ghosts ghosts_;
  std::int64_t row_;
  std::int64_t plane_;
  std::int64_t v_;
  std::int64_t m_;
  std::int64_t first_;
};

// A rank's part of v, divided evenly among the ranks.
struct Slab {
  Shape all;
  Shape own;
  std::int64_t first_v = 0;
};
inline Slab slab(const Shape& all, int rank, int ranks) {
  Shape own = all;
  own.v = all.v / ranks;
  return {.all = all, .own = own, .first_v = own.v * rank};
}

inline constexpr Ghosts intgrl_ghosts{};
inline constexpr Ghosts diff45_ghosts{.v = 2, .m = 2};
inline constexpr Ghosts diff123_ghosts{.x = 2, .y = 2, .z = 3, .v = 2};

}  // namespace banzuke::gkv
