#include "evidence.hpp"

namespace banzuke::ior {
namespace {

// If the data is this many times as large as the memory, the page cache cannot decide the figure.
constexpr double beyond = 2.0;
constexpr double little = 0.01;

bool beyond_memory(const Use& use) { return use.bytes > beyond * use.memory; }

// Returns whether the page cache still has a considerable part of data that was to be dropped.
bool present(const Use& use, std::optional<double> cached) { return cached && *cached > little && !beyond_memory(use); }

}  // namespace

Evidence write_evidence(const Use& use, bool synchronised, std::optional<double> kept) {
  if (use.in_memory) return {.code = "in memory"};
  if (use.replaced) return {.code = "replaced calls"};
  if (present(use, kept)) return {.code = "pages present"};
  if (use.direct && !use.cached_below && !use.in_user_space) return {.code = "direct", .storage = true};
  if (synchronised && !use.drops_fsync) return {.code = "fsync", .storage = true};
  if (beyond_memory(use)) return {.code = "beyond memory", .storage = true};
  return {.code = synchronised ? "fsync dropped" : "no fsync"};
}

Evidence read_evidence(const Use& use, std::optional<double> cached, bool others) {
  if (use.in_memory) return {.code = "in memory"};
  if (use.replaced) return {.code = "replaced calls"};
  if (present(use, cached)) return {.code = "pages present"};
  // Another cache of the host may hold data that is not in the kernel's page cache of the file.
  const bool elsewhere = use.cached_below || (use.in_user_space && !others);
  if (use.direct && !elsewhere) return {.code = "direct", .storage = true};
  if (cached && *cached <= little && !elsewhere) return {.code = "pages absent", .storage = true};
  if (beyond_memory(use)) return {.code = "beyond memory", .storage = true};
  return {.code = "no evidence"};
}

}  // namespace banzuke::ior
