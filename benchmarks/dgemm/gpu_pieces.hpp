// How a device streams its columns of a product whose matrices are in host memory.
#pragma once

#include <cstdint>

#include "dgemm.hpp"

namespace banzuke::dgemm {

// Columns of a piece. Its transfers and its product both grow with the width, so whether one hides behind the other
// depends only on k: 2 m k / rate versus 8 (m + k) / link. The width determines what is not hidden, i.e. the first
// upload and the last download of a call, and the overhead of each piece, tens of microseconds. With 24 MB of C in a
// piece the former is half a millisecond on a link of 50 GB/s. Multiples of 192 fill the tiles of the devices'
// libraries.
std::int64_t columns_of_piece(const Params& params);

// The same for a strip of `strip` columns: its pieces are equal, because a narrow one takes as long as a wide one.
std::int64_t columns_of_piece(const Params& params, std::int64_t strip);

// Number of pieces on the device at once: one arriving, one being computed, one leaving, and one that has left, which
// the host is counting. Without overlap a piece arrives when the previous one has left.
std::int64_t pieces_at_once(const Params& params);

// Resources needed by the rank that drives a device in a shared product.
Problem problem_of_group(const Params& params, int ranks);

}  // namespace banzuke::dgemm
