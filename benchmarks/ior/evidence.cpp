#include "evidence.hpp"

namespace banzuke::ior {
namespace {

// What the page cache keeps of data so many times as large as the memory does not decide the figure.
constexpr double beyond = 2.0;
constexpr double little = 0.01;

}  // namespace

Evidence write_evidence(const Use& use, bool synchronised) {
  if (use.in_memory) return {.code = "in memory"};
  if (use.replaced) return {.code = "replaced calls"};
  if (use.direct) return {.code = "direct", .storage = true};
  if (synchronised && !use.drops_fsync) return {.code = "fsync", .storage = true};
  if (use.bytes > beyond * use.memory) return {.code = "beyond memory", .storage = true};
  return {.code = synchronised ? "fsync dropped" : "no fsync"};
}

Evidence read_evidence(const Use& use, std::optional<double> cached, bool others) {
  if (use.in_memory) return {.code = "in memory"};
  if (use.replaced) return {.code = "replaced calls"};
  if (use.direct) return {.code = "direct", .storage = true};
  if (cached && *cached <= little && (others || !use.in_user_space)) return {.code = "pages absent", .storage = true};
  if (use.bytes > beyond * use.memory) return {.code = "beyond memory", .storage = true};
  return {.code = cached && *cached > little ? "pages present" : "no evidence"};
}

}  // namespace banzuke::ior
