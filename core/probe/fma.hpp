// One register-only FMA loop, compiled once per instruction set.
//
// A file that includes this header may be compiled with flags beyond the baseline. It must therefore include
// no header that defines inline functions with external linkage: the linker could keep the copy that only
// newer processors can run.
#pragma once

namespace banzuke {

struct FmaKernel {
  const char* name;
  int vector_bits;
  int instructions;                // vector FMAs per iteration
  double (*run)(long iterations);  // returns a value that depends on every FMA
};

#if defined(__x86_64__)
FmaKernel fma_avx2();
FmaKernel fma_avx512();
#elif defined(__aarch64__)
FmaKernel fma_neon();
FmaKernel fma_sve();
#endif
FmaKernel fma_scalar();

// The widest kernel that this processor and the operating system support.
FmaKernel widest_fma();

namespace detail {

inline constexpr int kUnroll = 4;

// Isa: Vector, kAccumulators, set(double), fma(acc, factor, term), first(Vector).
// Accumulators are a parameter pack because scalable vectors cannot be array elements. Each one tends
// to 1 or grows linearly, so no value becomes denormal or infinite, which some processors handle slowly.
template <class Isa, class... Accumulators>
[[gnu::always_inline]] inline double fma_loop(long iterations, typename Isa::Vector factor, typename Isa::Vector term,
                                              Accumulators... acc) {
  if constexpr (sizeof...(acc) < Isa::kAccumulators) {
    return fma_loop<Isa>(iterations, factor, term, acc..., Isa::set(1.0 + sizeof...(acc)));
  } else {
    for (long i = 0; i < iterations; ++i) {
#pragma GCC unroll 4
      for (int u = 0; u < kUnroll; ++u) ((acc = Isa::fma(acc, factor, term)), ...);
    }
    return (Isa::first(acc) + ...);
  }
}

template <class Isa>
double fma_run(long iterations) {
  return fma_loop<Isa>(iterations, Isa::set(0.75), Isa::set(0.25));
}

}  // namespace detail

template <class Isa>
FmaKernel make_fma(const char* name, int vector_bits) {
  return {name, vector_bits, detail::kUnroll * Isa::kAccumulators, &detail::fma_run<Isa>};
}

}  // namespace banzuke
