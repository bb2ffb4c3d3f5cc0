// NUMA placement of this process's memory: set, and read back from the kernel.
#pragma once

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

// Returns the policy as the kernel reports it: "default", "local", "bind:0", "interleave:0-1"; empty if unknown.
std::string memory_policy();

}  // namespace banzuke
