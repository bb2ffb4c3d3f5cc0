#pragma once

namespace banzuke::gkv {

// Times the bracket of many planes alternately with the same using FFTW's transforms; needs no ranks.
void bench_bracket(int rounds);

}  // namespace banzuke::gkv
