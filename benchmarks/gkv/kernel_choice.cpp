#include "kernel_choice.hpp"

#include "core/isa.hpp"

namespace banzuke::gkv {

std::vector<const Kernels*> available_kernels() {
  std::vector<const Kernels*> available{&plain_kernels};
#if defined(__x86_64__)
  if (runs(Isa::avx2)) available.push_back(&avx2_kernels);
  if (runs(Isa::avx512)) available.push_back(&avx512_kernels);
#endif
  return available;
}

const Kernels& widest_kernels() {
  static const Kernels* const widest = available_kernels().back();
  return *widest;
}

}  // namespace banzuke::gkv
