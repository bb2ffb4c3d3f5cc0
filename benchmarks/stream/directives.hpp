// STREAM's loops over arrays on a device, as omptarget.cpp and openacc.cpp write them with their directives.
#pragma once

#include <cstdint>

namespace banzuke::stream {

void fill(std::int64_t n, double with, double* array);
void copy(std::int64_t n, const double* a, double* c);
void scale(std::int64_t n, double factor, const double* c, double* b);  // b and c may be the same array
void add(std::int64_t n, const double* a, const double* b, double* c);
void triad(std::int64_t n, const double* b, const double* c, double* a);
double dot(std::int64_t n, const double* a, const double* b);

}  // namespace banzuke::stream
