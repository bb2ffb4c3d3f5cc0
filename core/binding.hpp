// Binds threads to processors, whatever the launcher and the OpenMP library do, and reads the binding back.
#pragma once

#include <string>
#include <vector>

namespace banzuke {

// Binds OpenMP thread i of this process to cpus[i]; the team has cpus.size() threads from then on.
// Throws std::system_error when a processor is not allowed.
void bind_threads(const std::vector<int>& cpus);

// Returns the processors that each OpenMP thread may run on, as the kernel reports them, in list format.
std::vector<std::string> read_binding();

// Returns the processors that a thread of this process may run on; 0 is the calling thread. Both functions throw
// std::system_error.
std::vector<int> allowed_cpus(int thread_id = 0);
void allow_cpus(const std::vector<int>& cpus, int thread_id = 0);

// Thread ids of this process.
std::vector<int> thread_ids();

}  // namespace banzuke
