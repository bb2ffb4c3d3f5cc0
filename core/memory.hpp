// What memory this process is given, read back from the kernel.
#pragma once

#include <string>
#include <string_view>

namespace banzuke {

// The policy by which pages of the calling thread, and of threads that it starts, are placed on NUMA nodes: "default",
// "bind:0", "interleave:0-1"; empty: the kernel does not say.
std::string memory_policy();

// The pages that an Array of this process gets: "base", or "transparent" huge ones; empty: the kernel does not say.
std::string_view page_kind();

}  // namespace banzuke
