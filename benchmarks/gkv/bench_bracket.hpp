#pragma once

namespace banzuke::gkv {

// Times the bracket of many planes, alternately with our transforms and with FFTW's; needs no ranks.
void bench_bracket(int rounds);

}  // namespace banzuke::gkv
