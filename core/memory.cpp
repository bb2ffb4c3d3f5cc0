#include "core/memory.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstddef>
#include <vector>

#include "core/array.hpp"
#include "core/cpulist.hpp"

namespace banzuke {
namespace {

// By their numbers in the kernel's linux/mempolicy.h, whose older versions lack the last ones.
constexpr std::array policies{"default",        "preferred",          "bind", "interleave", "local",
                              "preferred-many", "weighted-interleave"};
constexpr unsigned policy_flags = 7U << 13U;  // how node numbers are meant when the allowed nodes change
constexpr std::size_t most_nodes =
    4096;  // the kernel has 1024 at most, and refuses a mask that is shorter than its own

}  // namespace

std::string memory_policy() {
  constexpr std::size_t bits = sizeof(unsigned long) * CHAR_BIT;
  std::array<unsigned long, most_nodes / bits> mask{};
  int mode = 0;
  if (syscall(SYS_get_mempolicy, &mode, mask.data(), most_nodes, nullptr, 0UL) != 0) return "";
  const unsigned policy = static_cast<unsigned>(mode) & ~policy_flags;
  if (policy >= policies.size()) return "";
  std::vector<int> nodes;
  for (std::size_t node = 0; node < most_nodes; ++node) {
    if ((mask.at(node / bits) >> (node % bits) & 1U) != 0) nodes.push_back(static_cast<int>(node));
  }
  const std::string name = policies.at(policy);
  return nodes.empty() ? name : name + ":" + format_list(nodes);
}

std::string_view page_kind() {
  Array<char> probe(huge_page);
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  probe[0] = 1;  // brings one page, of whichever size
  unsigned char beside = 0;
  if (page >= huge_page || mincore(probe.data() + page, page, &beside) != 0) return "";
  return (beside & 1U) != 0 ? "transparent" : "base";
}

}  // namespace banzuke
