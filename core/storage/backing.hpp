// Caches below a file system that keep its data in this host's memory, where neither O_DIRECT nor a count of the file's
// own pages reveals them.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "core/storage/file_system.hpp"

namespace banzuke {

// The host to examine; tests use another than the default.
struct Host {
  std::filesystem::path sys = "/sys";
  std::string mounts;                 // the text of /proc/self/mountinfo
  std::set<std::string> addresses{};  // the host's own

  static Host here();
};

// A cache on this host below a file system.
struct Cache {
  std::string kind;    // "loop": without direct I/O; "own": this host is the server; "process": one may serve it; "zfs"
  std::string device;  // "loop0", "nfs4", "nbd0", "tank/data"
  std::string over{};  // the file of a loop device, the address of a server

  bool operator==(const Cache&) const = default;
};

struct Backing {
  std::vector<Cache> caches{};  // empty: none is known
  bool in_memory = false;       // there is no storage at all
};

// Follows partitions, device mapper, RAID, loop devices and the file systems of their files.
Backing backing(const FileSystem& system, const Host& host = Host::here());

}  // namespace banzuke
