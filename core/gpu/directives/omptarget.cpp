#include <omp.h>

#include "core/gpu/directives/model.hpp"

namespace banzuke::gpu::directives {
namespace {

bool copied(void* to, const void* from, std::size_t bytes, int to_device, int from_device) {
  return omp_target_memcpy(to, const_cast<void*>(from), bytes, 0, 0, to_device, from_device) == 0;
}

}  // namespace

const char* model() { return "OpenMP target"; }
const char* compiler() { return __VERSION__; }
int devices() { return omp_get_num_devices(); }
void use(int number) { omp_set_default_device(number); }

bool on_host() {
  int host = 1;
#pragma omp target map(from : host)
  host = omp_is_initial_device();
  return host != 0;
}

void* allocate(std::size_t bytes) { return omp_target_alloc(bytes, omp_get_default_device()); }
void release(void* start) { omp_target_free(start, omp_get_default_device()); }

bool to_device(void* to, const void* from, std::size_t bytes) {
  return copied(to, from, bytes, omp_get_default_device(), omp_get_initial_device());
}
bool to_host(void* to, const void* from, std::size_t bytes) {
  return copied(to, from, bytes, omp_get_initial_device(), omp_get_default_device());
}

}  // namespace banzuke::gpu::directives
