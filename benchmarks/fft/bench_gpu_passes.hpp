#pragma once

namespace banzuke::fft {

// Each of our passes beside a copy of as many numbers. Always true.
bool compare_passes(int turns);

}  // namespace banzuke::fft
