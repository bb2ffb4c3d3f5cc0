#include <openacc.h>

#include "core/gpu/directives/model.hpp"

namespace banzuke::gpu::directives {

const char* model() { return "OpenACC"; }
const char* compiler() { return __VERSION__; }
int devices() { return acc_get_num_devices(acc_device_nvidia); }
void use(int number) { acc_set_device_num(number, acc_device_nvidia); }

bool on_host() {
  int host = 1;
#pragma acc parallel copyout(host)
  host = acc_on_device(acc_device_host);
  return host != 0;
}

void* allocate(std::size_t bytes) { return acc_malloc(bytes); }
void release(void* start) { acc_free(start); }

// These functions of OpenACC terminate the program on failure.
bool to_device(void* to, const void* from, std::size_t bytes) {
  acc_memcpy_to_device(to, const_cast<void*>(from), bytes);
  return true;
}
bool to_host(void* to, const void* from, std::size_t bytes) {
  acc_memcpy_from_device(to, const_cast<void*>(from), bytes);
  return true;
}

}  // namespace banzuke::gpu::directives
