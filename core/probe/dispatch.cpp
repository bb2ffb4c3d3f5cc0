#include <array>

#include "core/isa.hpp"
#include "fma.hpp"

namespace banzuke {

namespace {

constexpr std::array choices{
#if defined(__x86_64__)
    Choice{Isa::avx512, &fma_avx512},
    Choice{Isa::avx2, &fma_avx2},
#elif defined(__aarch64__)
    Choice{Isa::sve, &fma_sve},
    Choice{Isa::neon, &fma_neon},
#endif
    Choice{Isa::plain, &fma_scalar},
};

}  // namespace

FmaKernel widest_fma() { return widest(choices)(); }

}  // namespace banzuke
