#include "core/memory.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

#include "core/cpulist.hpp"
#include "core/parameters.hpp"

namespace banzuke {
namespace {

// Indexed by the numbers in the kernel's linux/mempolicy.h, whose older versions lack the last ones.
constexpr std::array policies{"default",        "preferred",          "bind", "interleave", "local",
                              "preferred-many", "weighted-interleave"};
constexpr unsigned policy_flags = 7U << 13U;  // how node numbers are interpreted when the allowed nodes change
constexpr unsigned long ask_allowed = 4;      // MPOL_F_MEMS_ALLOWED
constexpr int prefer = 1;                     // MPOL_PREFERRED

// The kernel supports at most 1024 nodes, and rejects a mask shorter than its own.
constexpr std::size_t most_nodes = 4096;
constexpr std::size_t mask_bits = sizeof(unsigned long) * CHAR_BIT;
using Mask = std::array<unsigned long, most_nodes / mask_bits>;

std::vector<int> nodes_of(const Mask& mask) {
  std::vector<int> nodes;
  for (std::size_t node = 0; node < most_nodes; ++node) {
    if ((mask.at(node / mask_bits) >> (node % mask_bits) & 1U) != 0) nodes.push_back(static_cast<int>(node));
  }
  return nodes;
}

Mask mask_of(const std::vector<int>& nodes) {
  Mask mask{};
  for (const int node : nodes) {
    const auto number = static_cast<std::size_t>(node);
    mask.at(number / mask_bits) |= 1UL << (number % mask_bits);
  }
  return mask;
}

UsageError refused(const MemoryPolicy& policy, const std::string& why) {
  const std::string nodes = policy.nodes.empty() ? "" : ":" + format_list(policy.nodes);
  return UsageError("memory-policy: " + policy.name + nodes + ": " + why);
}

}  // namespace

MemoryPolicy parse_memory_policy(const std::string& text) {
  const auto colon = text.find(':');
  const bool named = colon != std::string::npos;
  const std::string name = text.substr(0, colon);
  if ((name == "local" && !named) || name == "interleave" || (name == "bind" && named)) {
    return {name, named ? parse_list(text.substr(colon + 1)) : std::vector<int>{}};
  }
  throw UsageError("memory-policy: '" + text + "' is none of local, interleave, interleave:NODES and bind:NODES");
}

void set_memory_policy(const MemoryPolicy& policy) {
  Mask mask{};
  if (syscall(SYS_get_mempolicy, nullptr, mask.data(), most_nodes, nullptr, ask_allowed) != 0) {
    throw refused(policy, std::string("the kernel places no pages: ") + std::strerror(errno));
  }
  // The kernel would silently ignore nodes that do not exist or are not allowed.
  const auto allowed = nodes_of(mask);
  if (!std::ranges::includes(allowed, policy.nodes)) {
    throw refused(policy, "the nodes whose memory this process may use are " + format_list(allowed));
  }
  if (!policy.nodes.empty()) mask = mask_of(policy.nodes);
  const auto mode = std::ranges::find(policies, policy.name) - policies.begin();
  const bool local = policy.name == "local";
  if (syscall(SYS_set_mempolicy, mode, local ? nullptr : mask.data(), local ? 0 : most_nodes) != 0) {
    throw refused(policy, std::string("the kernel refuses it: ") + std::strerror(errno));
  }
}

std::vector<int> memory_nodes() {
  Mask mask{};
  const bool told = syscall(SYS_get_mempolicy, nullptr, mask.data(), most_nodes, nullptr, ask_allowed) == 0;
  return told ? nodes_of(mask) : std::vector<int>{};
}

std::map<int, int> processor_nodes(const std::string& root) {
  std::map<int, int> nodes;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(root, error)) {
    const std::string name = entry.path().filename();
    constexpr std::string_view begin = "node";
    int node = -1;
    if (!name.starts_with(begin)) continue;
    const auto [end, wrong] = std::from_chars(name.data() + begin.size(), name.data() + name.size(), node);
    if (wrong != std::errc{} || end != name.data() + name.size()) continue;
    std::ifstream file(entry.path() / "cpulist");
    std::string list;
    std::getline(file, list);
    if (list.empty()) continue;  // memory alone
    for (const int processor : parse_list(list)) nodes.emplace(processor, node);
  }
  return nodes;
}

bool prefer_node(void* start, std::size_t bytes, int node) {
  const Mask mask = mask_of({node});
  return syscall(SYS_mbind, start, bytes, prefer, mask.data(), most_nodes, 0U) == 0;
}

std::int64_t pages_elsewhere(const void* start, std::size_t bytes, int node) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  constexpr std::size_t at_once = 4096;
  const auto* end = static_cast<const char*>(start) + bytes;
  std::int64_t elsewhere = 0;
  for (const auto* next = static_cast<const char*>(start); next < end;) {
    std::vector<const void*> pages;
    for (; next < end && pages.size() < at_once; next += page) pages.push_back(next);
    std::vector<int> nodes(pages.size(), -1);
    const auto told = syscall(SYS_move_pages, 0, pages.size(), pages.data(), nullptr, nodes.data(), 0);
    elsewhere += told == 0 ? std::ssize(nodes) - std::ranges::count(nodes, node) : std::ssize(nodes);
  }
  return elsewhere;
}

std::string memory_policy() {
  Mask mask{};
  int mode = 0;
  if (syscall(SYS_get_mempolicy, &mode, mask.data(), most_nodes, nullptr, 0UL) != 0) return "";
  const unsigned policy = static_cast<unsigned>(mode) & ~policy_flags;
  if (policy >= policies.size()) return "";
  const auto nodes = nodes_of(mask);
  const std::string name = policies.at(policy);
  if (name == "preferred" && nodes.empty()) return "local";  // kernels before 5.14 report it so
  return nodes.empty() ? name : name + ":" + format_list(nodes);
}

}  // namespace banzuke
