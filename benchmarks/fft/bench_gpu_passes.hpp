#pragma once

namespace banzuke::fft {

// Compares each of our passes with a copy of as many numbers. Always true.
bool compare_passes(int turns);

}  // namespace banzuke::fft
