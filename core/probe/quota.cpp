#include "quota.hpp"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "core/cpulist.hpp"
#include "core/parameters.hpp"
#include "files.hpp"

namespace banzuke {
namespace {

using files::Path;

constexpr std::size_t most = std::size_t{1} << 20U;

// A mounted control group hierarchy: its root and mount point.
struct Hierarchy {
  std::string mount;
  std::string root;
  bool unified = false;
};

// Returns the hierarchies with the cpu controller, from lines such as `36 25 0:31 / /sys/fs/cgroup rw - cgroup2 cgroup2
// rw`.
std::vector<Hierarchy> hierarchies(const Path& root) {
  std::vector<Hierarchy> found;
  for (const auto& line : split(files::contents(root / "proc/self/mountinfo", most).value_or(""), '\n')) {
    const auto dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    std::istringstream head(line.substr(0, dash));
    std::istringstream tail(line.substr(dash + 3));
    std::string number, parent, device, shown, mount, kind, source, options;
    head >> number >> parent >> device >> shown >> mount;
    tail >> kind >> source >> options;
    const auto words = split(options, ',');
    const bool control = std::ranges::find(words, "cpu") != words.end();
    if (kind == "cgroup2" || (kind == "cgroup" && control)) found.push_back({mount, shown, kind == "cgroup2"});
  }
  return found;
}

// Returns the path of the process's group without a trailing slash, from lines such as `4:cpu,cpuacct:/jobs/7` and
// `0::/jobs/7`; none if it is in no such group.
std::optional<std::string> group(const Path& root, bool unified) {
  for (const auto& line : split(files::contents(root / "proc/self/cgroup", most).value_or(""), '\n')) {
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const auto controllers = split(line.substr(first + 1, second - first - 1), ',');
    const bool wanted = unified ? controllers.empty() : std::ranges::find(controllers, "cpu") != controllers.end();
    if (!wanted) continue;
    auto path = line.substr(second + 1);
    if (path.ends_with('/')) path.pop_back();
    return path;
  }
  return std::nullopt;
}

std::optional<double> limit(const Path& folder, bool unified) {
  std::optional<double> time;
  std::optional<double> period;
  if (unified) {
    const auto line = files::line(folder / "cpu.max").value_or("");  // `200000 100000`, `max 100000`
    const auto blank = line.find(' ');
    if (blank == std::string::npos) return std::nullopt;
    time = files::leading_number(line);
    period = files::leading_number(std::string_view(line).substr(blank + 1));
  } else {
    time = files::number(folder / "cpu.cfs_quota_us");  // -1: none
    period = files::number(folder / "cpu.cfs_period_us");
  }
  if (!time || !period || *time <= 0.0 || *period <= 0.0) return std::nullopt;
  return *time / *period;
}

}  // namespace

std::optional<double> quota(const Path& root) {
  std::optional<double> least;
  for (const auto& hierarchy : hierarchies(root)) {
    auto path = group(root, hierarchy.unified);
    if (!path) continue;
    // A mount may show only the subtree of a group, and the process's group may be outside it.
    if (hierarchy.root != "/" && path->starts_with(hierarchy.root)) path->erase(0, hierarchy.root.size());
    if (path->find("..") != std::string::npos) path->clear();
    for (;; path->resize(path->rfind('/'))) {
      if (const auto one = limit(root.string() + hierarchy.mount + *path, hierarchy.unified)) {
        least = std::min(least.value_or(*one), *one);
      }
      if (path->rfind('/') == std::string::npos) break;
    }
  }
  return least;
}

std::optional<double> allowed(const Path& root) {
  constexpr std::string_view key = "Cpus_allowed_list:";
  for (const auto& line : split(files::contents(root / "proc/self/status", most).value_or(""), '\n')) {
    if (!line.starts_with(key)) continue;
    const auto first = line.find_first_not_of(" \t", key.size());
    if (first == std::string::npos) return std::nullopt;
    try {
      return static_cast<double>(parse_list(line.substr(first)).size());
    } catch (const UsageError&) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace banzuke
