// Finds how much of a file is in this host's page cache, as evidence that a read was not served from there.
#pragma once

#include <cstdint>
#include <optional>

namespace banzuke {

// Returns the cached bytes of [offset, offset + length) of the file; none if unknown.
std::optional<double> cached_bytes(int descriptor, std::int64_t offset, std::int64_t length);
// The same using only mincore(2).
std::optional<double> cached_bytes_by_mincore(int descriptor, std::int64_t offset, std::int64_t length);

// Asks the kernel to drop the file's clean pages; dirty ones stay.
void drop_cached(int descriptor);

}  // namespace banzuke
