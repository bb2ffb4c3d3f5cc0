// What keeps the data of a file system in this host's memory where neither O_DIRECT nor a count of the file's own pages
// shows it: what lies below the file system.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "core/storage/file_system.hpp"

namespace banzuke {

// The host that is asked; other than the default in tests.
struct Host {
  std::filesystem::path sys = "/sys";
  std::string mounts;                 // the text of /proc/self/mountinfo
  std::set<std::string> addresses{};  // its own

  static Host here();
};

struct Backing {
  // "loop0 without direct I/O over /disk.img", "nfs4 from 127.0.0.1, which is this host"; empty: none is known.
  std::vector<std::string> caches{};
  bool in_memory = false;  // there is no storage at all
};

// Followed through partitions, device mapper, RAID, loop devices and the file systems of their files.
Backing backing(const FileSystem& system, const Host& host = Host::here());

}  // namespace banzuke
