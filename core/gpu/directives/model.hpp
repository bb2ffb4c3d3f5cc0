// Runtime functions of a directive model: OpenMP target regions (omptarget.cpp) or OpenACC (openacc.cpp), chosen at
// link time. Each is compiled by the offloading compiler.
#pragma once

#include <cstddef>

namespace banzuke::gpu::directives {

const char* model();
const char* compiler();             // its version
int devices();                      // number that the runtime sees
void use(int number);               // regions of this thread run there from now on
bool on_host();                     // whether a region runs on the processor
void* allocate(std::size_t bytes);  // on that device; nullptr: out of memory
void release(void* start);
// Copy to and from that device; return false after a failure.
bool to_device(void* to, const void* from, std::size_t bytes);
bool to_host(void* to, const void* from, std::size_t bytes);

}  // namespace banzuke::gpu::directives
