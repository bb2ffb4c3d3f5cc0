#pragma once

namespace banzuke::gkv {

// The bracket of many planes beside the same with FFTW's transforms, in turn; needs no ranks.
void bench_bracket(int rounds);

}  // namespace banzuke::gkv
