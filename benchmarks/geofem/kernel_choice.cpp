#include "kernel_choice.hpp"

#include <array>

#include "core/isa.hpp"

namespace banzuke::geofem {
namespace {

struct Formats {
  const Kernels* chunks;
  const Kernels* rows;
};

constexpr std::array choices{
#if defined(__x86_64__)
    Choice{Isa::avx512, Formats{&avx512_chunks, &avx512_rows}},
    Choice{Isa::avx2, Formats{&avx2_chunks, &avx2_rows}},
#elif defined(__aarch64__)
    Choice{Isa::sve512, Formats{&sve512_chunks, &sve512_rows}},
    Choice{Isa::sve256, Formats{&sve256_chunks, &sve256_rows}},
#endif
    Choice{Isa::plain, Formats{&plain_chunks, &plain_rows}},
};

}  // namespace

const Kernels& widest_kernels(const std::string& format) {
  const Formats formats = widest(choices);
  return format == "blocked" ? *formats.chunks : *formats.rows;
}

std::vector<const Kernels*> available_kernels() {
  std::vector<const Kernels*> available;
  for (const Formats& formats : runnable(choices)) {
    available.insert(available.end(), {formats.chunks, formats.rows});
  }
  return available;
}

}  // namespace banzuke::geofem
