#include "kernels_vector.hpp"

namespace banzuke::memory {
namespace {

// Vectors that every processor of the architecture has: SSE2 on x86, NEON on Arm.
struct Vector {
  using Register = double __attribute__((vector_size(16)));
  using Bits = std::uint64_t __attribute__((vector_size(16)));
  static constexpr const char* name = "128 bits";
  static constexpr std::size_t lanes() { return 2; }
  static Register load(const double* from) { return *reinterpret_cast<const Register*>(from); }
  static void store(double* to, Register value) { *reinterpret_cast<Register*>(to) = value; }
  static Register broadcast(double value) { return Register{value, value}; }
  static Register multiply_add(Register x, Register y, Register z) { return x * y + z; }
  static Bits no_bits() { return Bits{0, 0}; }
  static Bits load_bits(const double* from) { return reinterpret_cast<Bits>(load(from)); }
  static Bits add_bits(Bits x, Bits y) { return x + y; }
  static std::uint64_t sum_bits(Bits x) { return x[0] + x[1]; }
};

}  // namespace

const Kernels& plain_kernels() { return vector_kernels<Vector>(); }

}  // namespace banzuke::memory
