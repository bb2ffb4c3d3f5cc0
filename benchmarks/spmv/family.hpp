// The families' patterns, each with about `nonzeros` non-zeros. These functions only set sizes: rows are generated on
// demand, and their numbers are valid if rows and columns are below 2^31.
#pragma once

#include "pattern.hpp"

namespace banzuke::spmv {

// ------------------------------------------------------------------------------------ on grids (family_grids.cpp)

Pattern stencil5(double nonzeros);   // 2-D
Pattern stencil9(double nonzeros);   // 2-D
Pattern stencil7(double nonzeros);   // 3-D
Pattern stencil27(double nonzeros);  // 3-D
// Linear elasticity, hexahedra of eight nodes: 3 x 3 blocks on the 27 points.
Pattern elasticity(double nonzeros);
// Linear elements in the plane: a jittered grid whose cells are cut along either diagonal.
Pattern p1_triangles(double nonzeros);
// Crossings of a town, connected to those of their four neighbours to which a road leads: 2.8 on average.
Pattern road(double nonzeros);
// Staggered fermions on a periodic 4-D lattice: three colours, complex links, as real 6 x 6 blocks to the eight nearest
// sites, and a mass.
Pattern qcd(double nonzeros);
// Optimality system of a control problem, [H L'; L 0] with state, control and adjoint: 7-point H, 27-point L.
Pattern kkt(double nonzeros);
// Edges by vertices of a triangulated torus: rows of two entries, three times as many as columns.
Pattern incidence(double nonzeros);

// -------------------------------------------------------------------- on tetrahedra (family_tetrahedra.cpp)

Pattern p1_tetrahedra(double nonzeros);  // linear elements
Pattern p2_tetrahedra(double nonzeros);  // quadratic elements
// Compressible flow on linear elements: 4 x 4 blocks.
Pattern flow(double nonzeros);

// ------------------------------------------------------------------------------- networks (family_networks.cpp)

Pattern dense(double nonzeros);
// 15 entries anywhere within n / 50 of the diagonal.
Pattern banded(double nonzeros);
// 16 entries anywhere.
Pattern erdos_renyi(double nonzeros);
// Chakrabarti, Zhan, Faloutsos 2004, with Graph 500's probabilities 0.57, 0.19, 0.19, 0.05.
Pattern rmat(double nonzeros);
// Web pages: row lengths with a power-law tail, one row in ten empty; four of five links near, the others to popular
// pages.
Pattern web(double nonzeros);
// Components connected to near ones, and four supply nets with up to a quarter of all attached: dense rows and columns.
Pattern circuit(double nonzeros);
// Rows of exponentially distributed lengths, sqrt(nonzeros) on average, over many more columns: a set covering problem.
Pattern lp(double nonzeros);
// Contacts of a folded chain whose links have six degrees of freedom: dense blocks with a sixteenth missing.
Pattern protein(double nonzeros);

}  // namespace banzuke::spmv
