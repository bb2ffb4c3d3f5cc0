// How much of a file the kernel of this host has in memory: the evidence that a read was not served from there.
#pragma once

#include <cstdint>
#include <optional>

namespace banzuke {

// Bytes of [offset, offset + length) of the file; none: the kernel does not say.
std::optional<double> cached_bytes(int descriptor, std::int64_t offset, std::int64_t length);
// The same by mincore(2) alone.
std::optional<double> cached_bytes_by_mincore(int descriptor, std::int64_t offset, std::int64_t length);

// Asks the kernel to forget the pages of the file that are written; others it keeps.
void drop_cached(int descriptor);

}  // namespace banzuke
