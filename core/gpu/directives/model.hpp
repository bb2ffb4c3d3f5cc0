// What a directive model's runtime does: OpenMP's target regions (omptarget.cpp) or OpenACC's (openacc.cpp), chosen by
// the linker. Each is compiled by the compiler that offloads.
#pragma once

#include <cstddef>

namespace banzuke::gpu::directives {

const char* model();
const char* compiler();             // its version
int devices();                      // that the runtime sees
void use(int number);               // regions of this thread run there from now on
bool on_host();                     // whether a region runs on the processor
void* allocate(std::size_t bytes);  // on that device; nullptr: it has not so much
void release(void* start);
// Either end on that device; false: it failed.
bool to_device(void* to, const void* from, std::size_t bytes);
bool to_host(void* to, const void* from, std::size_t bytes);

}  // namespace banzuke::gpu::directives
