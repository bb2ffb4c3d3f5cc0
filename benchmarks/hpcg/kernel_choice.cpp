#include "kernel_choice.hpp"

#include <array>

#include "core/isa.hpp"

namespace banzuke::hpcg {
namespace {

constexpr std::array choices{
#if defined(__x86_64__)
    Choice{Isa::avx512, &avx512_kernels},
    Choice{Isa::avx2, &avx2_kernels},
#elif defined(__aarch64__)
    Choice{Isa::sve512, &sve512_kernels},
    Choice{Isa::sve256, &sve256_kernels},
#endif
    Choice{Isa::plain, &plain_kernels},
};

}  // namespace

const Kernels& widest_kernels() { return *widest(choices); }

std::vector<const Kernels*> available_kernels() { return runnable(choices); }

}  // namespace banzuke::hpcg
