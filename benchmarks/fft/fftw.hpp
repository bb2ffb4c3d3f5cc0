#pragma once

#include "library.hpp"

namespace banzuke::fft {

inline constexpr Candidate fftw{
    .name = "FFTW",
    .variable = "BANZUKE_FFTW",
    .files = {{{"libfftw3.so.3", "libfftw3_omp.so.3"}, {"libfftw3.so.3", "libfftw3_threads.so.3"}}},
    .remedy =
        "install it with its threads (Debian: libfftw3-double3), load its module, or let BANZUKE_FFTW be the "
        "path of its libfftw3_omp.so",
    .own = "fftw_mkapiplan",
};

}  // namespace banzuke::fft
