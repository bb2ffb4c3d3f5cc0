// A tetrahedral mesh that needs no storage: a grid of cells, each with a node in its centre. Each face is cut into two
// triangles by one of its diagonals, chosen at random; each of the cell's twelve triangles forms a tetrahedron with the
// centre. Quadratic elements also have nodes on all edges.
#include <bit>
#include <memory>

#include "family.hpp"
#include "grid.hpp"

namespace banzuke::spmv {
namespace {

constexpr std::size_t axes = 3;

// Kinds of nodes at a grid point. In its plane: the corner, the edges along x and y, and the face between them. Above
// the plane: the cell's centre, the edge along z, the two other faces, and the edges from the centre to the cell's
// eight corners. Bit d of `spans` says that the kind extends from the grid point to the next one in direction d.
constexpr std::size_t kinds = 16;
constexpr std::array<unsigned, kinds> spans = {0, 1, 2, 3, 7, 4, 5, 6, 7, 7, 7, 7, 7, 7, 7, 7};
constexpr std::size_t in_plane = 4;
constexpr std::size_t corner = 0;
constexpr std::size_t centre = 4;
constexpr std::size_t first_spoke = 8;
constexpr std::array<std::size_t, 8> of_span = {corner, 1, 2, 3, 5, 6, 7, centre};

constexpr unsigned bit(std::size_t d) { return 1U << d; }

// Nodes in or on a cell, those of linear elements first. `shift` has a bit for each direction in which the node is on
// the far side of the cell. A set of nodes is a 64-bit word.
constexpr std::size_t linear_nodes = 9;
constexpr std::size_t all_nodes = 35;

struct Local {
  std::size_t kind;
  unsigned shift;
};

class Cell {
 public:
  Cell() {
    for (const std::size_t kind : {corner, centre}) add(kind);
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      if (kind != corner && kind != centre) add(kind);
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      for (std::size_t d = 0; d < axes; ++d) {
        if (((spans[nodes_[i].kind] | nodes_[i].shift) & bit(d)) == 0) near_[d] |= word(i);
      }
    }
    for (unsigned rising = 0; rising < coupled_.size(); ++rising) cut(rising);
  }

  const std::vector<Local>& nodes() const { return nodes_; }
  std::size_t number(std::size_t kind, unsigned shift) const { return number_[kind][shift]; }
  static std::uint64_t linear() { return word(linear_nodes) - 1; }
  // Returns the nodes on the cell's lower side in direction d.
  std::uint64_t near(std::size_t d) const { return near_[d]; }
  // Returns the nodes that share a tetrahedron with node i. Bits 2d and 2d+1 of `rising` say how the near and the far
  // face across d are cut.
  std::uint64_t coupled(unsigned rising, std::size_t i) const { return coupled_[rising][i]; }

 private:
  static std::uint64_t word(std::size_t i) { return std::uint64_t{1} << i; }

  void add(std::size_t kind) {
    for (unsigned shift = 0; shift < 8; ++shift) {
      if ((shift & spans[kind]) != 0) continue;
      number_[kind][shift] = nodes_.size();
      nodes_.push_back({kind, shift});
    }
  }

  // Returns the node on the edge or face diagonal between two corners.
  std::uint64_t between(unsigned a, unsigned b) const { return word(number_[of_span[a ^ b]][a & b]); }

  void cut(unsigned rising) {
    for (std::size_t d = 0; d < axes; ++d) {
      const unsigned b = bit((d + 1) % axes);
      const unsigned c = bit((d + 2) % axes);
      for (const unsigned far : {0U, 1U}) {
        const unsigned base = far << d;
        const bool up = (rising >> (2 * d + far) & 1U) != 0;
        const std::array<unsigned, 2> diagonal = up ? std::array{base, base | b | c} : std::array{base | b, base | c};
        for (const unsigned tip : up ? std::array{base | b, base | c} : std::array{base, base | b | c}) {
          couple(rising, {diagonal[0], diagonal[1], tip});
        }
      }
    }
  }

  void couple(unsigned rising, const std::array<unsigned, 3>& triangle) {
    std::uint64_t nodes = word(number_[centre][0]);
    for (std::size_t i = 0; i < triangle.size(); ++i) {
      nodes |= word(number_[corner][triangle[i]]) | word(number_[first_spoke + triangle[i]][0]) |
               between(triangle[i], triangle[(i + 1) % triangle.size()]);
    }
    for (std::uint64_t rest = nodes; rest != 0; rest &= rest - 1) {
      coupled_[rising][static_cast<std::size_t>(std::countr_zero(rest))] |= nodes;
    }
  }

  std::vector<Local> nodes_;
  std::array<std::array<std::size_t, 8>, kinds> number_{};
  std::array<std::uint64_t, axes> near_{};
  std::array<std::array<std::uint64_t, all_nodes>, 64> coupled_{};
};

class Mesh {
 public:
  Mesh(const Sides<3>& sides, bool quadratic) : sides_(sides), wanted_(quadratic ? ~std::uint64_t{0} : Cell::linear()) {
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      begin_[kind] = plane_;
      width_[kind] = sides[0] - (spans[kind] & 1U);
      if (quadratic || kind == corner || kind == centre) plane_ += width_[kind] * (sides[1] - (spans[kind] >> 1U & 1U));
      if (kind + 1 == in_plane) last_plane_ = plane_;
    }
  }

  std::int64_t nodes() const { return (sides_[2] - 1) * plane_ + last_plane_; }

  void append(std::int64_t node, std::vector<std::int32_t>& columns) const {
    Sides<3> at{};
    const std::size_t kind = place(node, at);
    for (unsigned shift = 0; shift < 8; ++shift) {
      if ((shift & spans[kind]) != 0) continue;
      Sides<3> cell = at;
      bool inside = true;
      for (std::size_t d = 0; d < axes; ++d) {
        cell[d] -= shift >> d & 1U;
        inside = inside && cell[d] >= 0 && cell[d] < sides_[d] - 1;
      }
      if (!inside) continue;
      const std::size_t own = cell_.number(kind, shift);
      std::uint64_t found = cell_.coupled(cuts(cell), own) & wanted_;
      // Leave out nodes on a side of the cell on which this node is too; the cell beyond that side adds them.
      for (std::size_t d = 0; d < axes; ++d) {
        if (cell[d] > 0 && (cell_.near(d) >> own & 1U) != 0) found &= ~cell_.near(d);
      }
      for (; found != 0; found &= found - 1) {
        columns.push_back(number(cell_.nodes()[static_cast<std::size_t>(std::countr_zero(found))], cell));
      }
    }
  }

 private:
  std::size_t place(std::int64_t node, Sides<3>& at) const {
    at[2] = node / plane_;
    const std::int64_t rest = node % plane_;
    std::size_t kind = kinds - 1;
    while (begin_[kind] > rest || begin_[kind] == (kind + 1 < kinds ? begin_[kind + 1] : plane_)) --kind;
    at[1] = (rest - begin_[kind]) / width_[kind];
    at[0] = (rest - begin_[kind]) % width_[kind];
    return kind;
  }

  std::int32_t number(const Local& local, const Sides<3>& cell) const {
    const auto along = [&](std::size_t d) { return cell[d] + (local.shift >> d & 1U); };
    return static_cast<std::int32_t>(along(2) * plane_ + begin_[local.kind] + along(1) * width_[local.kind] + along(0));
  }

  // Returns, as a bit for each, how the faces across x, y and z that begin at a grid point are cut.
  unsigned drawn(const Sides<3>& at) const {
    return static_cast<unsigned>(Draws(3, static_cast<std::uint64_t>(spmv::number(sides_, at))).bits() >> 61U);
  }

  unsigned cuts(const Sides<3>& cell) const {
    unsigned rising = 0;
    const unsigned near = drawn(cell);
    for (std::size_t d = 0; d < axes; ++d) {
      Sides<3> next = cell;
      ++next[d];
      rising |= (near >> d & 1U) << (2 * d) | (drawn(next) >> d & 1U) << (2 * d + 1);
    }
    return rising;
  }

  Cell cell_;
  Sides<3> sides_;
  std::uint64_t wanted_;
  std::array<std::int64_t, kinds> begin_{};  // within a layer: a plane of grid points and what is above it
  std::array<std::int64_t, kinds> width_{};
  std::int64_t plane_ = 0;
  std::int64_t last_plane_ = 0;
};

// Numbers of vertices, edges, triangles and tetrahedra of the mesh.
struct Counts {
  explicit Counts(const Sides<3>& sides) : Counts(sides[0], sides[1], sides[2]) {}
  Counts(std::int64_t x, std::int64_t y, std::int64_t z)
      : cells(box(x - 1, y - 1, z - 1)),
        squares(box(x, y - 1, z - 1) + box(x - 1, y, z - 1) + box(x - 1, y - 1, z)),
        vertices(box(x, y, z) + cells),
        edges(box(x - 1, y, z) + box(x, y - 1, z) + box(x, y, z - 1) + squares + 8.0 * cells),
        triangles(2.0 * squares + 18.0 * cells) {}

  static double box(std::int64_t x, std::int64_t y, std::int64_t z) { return points(Sides<3>{x, y, z}); }
  double linear() const { return vertices + 2.0 * edges; }
  // Couplings of quadratic elements: of each node with itself, of the nodes of an edge with each other, of those of a
  // triangle that share no edge, and of those on opposite edges of a tetrahedron.
  double quadratic() const { return vertices + 7.0 * edges + 12.0 * triangles + 6.0 * 12.0 * cells; }

  double cells;
  double squares;
  double vertices;
  double edges;
  double triangles;
};

Pattern mesh(double nonzeros, bool quadratic) {
  const auto entries = [=](const Sides<3>& sides) {
    return quadratic ? Counts(sides).quadratic() : Counts(sides).linear();
  };
  const auto sides = fitted<3>(nonzeros, entries);
  const auto nodes = std::make_shared<const Mesh>(sides, quadratic);
  return {.rows = nodes->nodes(),
          .columns = nodes->nodes(),
          .nonzeros = entries(sides),
          .symmetric = true,
          .row = [nodes](std::int64_t row, std::vector<std::int32_t>& columns) { nodes->append(row, columns); }};
}

}  // namespace

Pattern p1_tetrahedra(double nonzeros) { return mesh(nonzeros, false); }
Pattern p2_tetrahedra(double nonzeros) { return mesh(nonzeros, true); }
Pattern flow(double nonzeros) { return blocks(p1_tetrahedra(nonzeros / 16.0), 4); }

}  // namespace banzuke::spmv
