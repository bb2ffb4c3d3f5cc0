// NUMA placement of this process's memory: set, and read back from the kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace banzuke {

// On which NUMA nodes pages are placed when they are first touched.
struct MemoryPolicy {
  std::string name;        // local: the thread's node; interleave: round-robin over the nodes; bind: only these nodes
  std::vector<int> nodes;  // empty: all that this process may use
};

// "local", "interleave", "interleave:NODES", "bind:NODES", nodes in list format. Throws UsageError.
MemoryPolicy parse_memory_policy(const std::string& text);

// Sets it for the calling thread and threads that it starts from now on. Throws UsageError if the kernel refuses.
void set_memory_policy(const MemoryPolicy& policy);

// Returns the NUMA nodes on whose memory the kernel lets this process place pages; empty if it places none.
std::vector<int> memory_nodes();

// Returns the NUMA node of each processor that this process may use, as told in the files at `root`; a processor that
// no node lists has none.
std::map<int, int> processor_nodes(const std::string& root = "/sys/devices/system/node");

// Prefers a node for the pages of this memory, whole pages that were not touched yet. If the node is full, the kernel
// takes another; `pages_elsewhere` sees that. Returns whether the kernel accepts it.
bool prefer_node(void* start, std::size_t bytes, int node);

// Returns how many base pages of this memory are not on the node, or not present; all where the kernel does not tell.
std::int64_t pages_elsewhere(const void* start, std::size_t bytes, int node);

// Returns the policy as the kernel reports it: "default", "local", "bind:0", "interleave:0-1"; empty if unknown.
std::string memory_policy();

}  // namespace banzuke
