// The inner loops for one instruction set; each kernels_*.cpp is compiled for its own, and the program takes the widest
// that the processor runs. Included in code compiled for wider instructions, so nothing here may define a function that
// the linker could share with the rest of the program.
// Plain arrays, because std::array would bring such functions. NOLINTBEGIN(modernize-avoid-c-arrays)
#pragma once

#include <cstdint>

namespace banzuke::gkv {

// Coefficients of the collision operator at one (z, v, m); those of differences include their stencils' divisors.
struct Collision {
  double second_v;
  double first_v;
  double second_m;
  double first_m;
  double centre;
};

// Coefficients of the streaming term at one (z, v, m). z: of the upwind difference against `sign`, that of v.
struct Streaming {
  double x;
  double y;
  double z;
  double hyper;
  double v;
  int sign;
};

// Strides in doubles between neighbours.
struct Steps {
  std::int64_t y;
  std::int64_t z;
  std::int64_t v;
};

// Planes of v that `collisions` processes together, and of z for `streaming`; both process single planes, too.
inline constexpr int together = 4;

// All m of some planes of v, of a block of modes; f and out are those of the first plane at m = 0.
struct CollisionBlock {
  const double* f;
  double* out;
  std::int64_t step_v;
  std::int64_t step_m;
  std::int64_t out_step_v;
  std::int64_t out_step_m;
  std::int64_t moments;
  int planes;                // 1 or `together`
  double of_v[together][4];  // coefficients of v + 1, v + 2, v - 1, v - 2
  const double* of_m;        // five for each m: of the centre, m + 1, m + 2, m - 1, m - 2
  const double* damp;        // times the centre, subtracted
  const double* fresh;       // first plane not read by an earlier call, at m = 0; prefetched three m ahead
  int fresh_planes;
  const double* next;  // the same of the next call
  int next_planes;
};

// Rows along ky of some planes of z; f and out are those of the first plane in the direction of the flow.
struct StreamingBlock {
  const double* f;
  double* out;
  std::int64_t step_y;
  std::int64_t step_z;  // one plane further with the flow
  std::int64_t step_v;
  std::int64_t out_step_y;
  std::int64_t out_step_z;
  std::int64_t rows;
  int planes;   // 1 or `together`
  double x[2];  // coefficients of the differences over one and two points
  double y[2];
  double v[together];  // by plane; the difference over two points has -1/8 of it
  double z[6];         // coefficients of three points upstream to two downstream
};

// Counts are of doubles: two of them are a complex number.
struct Kernels {
  const char* name;

  // Straightforward loops along a row of kx.
  void (*intgrl)(double* sum, const double* f, double weight, std::int64_t count);
  // m: rows at m - 2, m - 1, m + 1, m + 2.
  void (*diff45)(double* out, const double* f, std::int64_t step_v, const double* const* m, const double* damp,
                 const Collision& c, std::int64_t count);
  void (*diff123[3])(double* out, const double* f, const Steps& steps, const Streaming& c, std::int64_t count);

  // Tuned loops over whole cache lines; rows must start on a line.
  // sum += weight[k] f[k], four rows.
  void (*add)(double* sum, const double* const* f, const double* weight, std::int64_t count);
  // Use non-temporal stores, visible to other threads after fence(). `count` is of a row of the block.
  void (*collisions)(const CollisionBlock& block, std::int64_t count);
  void (*streaming[3])(const StreamingBlock& block, std::int64_t count);  // by the number of dimensions
  void (*fence)();
};

extern const Kernels plain_kernels;
extern const Kernels avx2_kernels;
extern const Kernels avx512_kernels;
extern const Kernels sve256_kernels;
extern const Kernels sve512_kernels;

}  // namespace banzuke::gkv

// NOLINTEND(modernize-avoid-c-arrays)
