// How a device streams its columns of a product whose matrices lie in the host's memory.
#pragma once

#include <cstdint>

#include "dgemm.hpp"

namespace banzuke::dgemm {

// Columns of a piece. Its transfers and its product both grow with them, so that whether the one hides behind the other
// is decided by k alone: 2 m k / rate against 8 (m + k) / link. The width decides what does not hide, the first upload
// and the last download of a call, and what each piece costs beside that, tens of microseconds. With 24 MB of C in a
// piece that is half a millisecond on a link of 50 GB/s. Multiples of 192 fill the tiles of the devices' libraries.
std::int64_t columns_of_piece(const Params& params);

// The same for a strip of so many columns: its pieces are alike, for a narrow one takes as long as a wide one.
std::int64_t columns_of_piece(const Params& params, std::int64_t strip);

// Pieces that are on the device at once: one comes, one is computed, one goes, and one has gone, which the host counts
// meanwhile. Without overlap a piece comes when the last one has gone.
std::int64_t pieces_at_once(const Params& params);

// What the rank that drives a device in a shared product needs.
Problem problem_of_group(const Params& params, int ranks);

}  // namespace banzuke::dgemm
