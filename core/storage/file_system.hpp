// A folder's file system, its free space, and how files are striped.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/json.hpp"

namespace banzuke {

struct FileSystem {
  std::string type;       // "ext4", "lustre", "fuse.glusterfs"; empty: unknown
  std::string mount;      // where it is mounted
  std::string source;     // "/dev/vda", "server:/volume"
  std::string device{};   // "254:0"; not a block device's for network file systems and Btrfs
  std::string options{};  // of the file system, not of the mount: "rw,addr=10.0.0.1"

  bool in_memory() const;  // its files are only in memory; for RAM disks see `backing`
  // Returns whether fsync does nothing, as on a throw-away overlay mounted `volatile` (newer kernels write
  // `fsync=volatile`).
  bool drops_fsync() const;
  // Returns whether a process of this host serves it, whose own caches the kernel does not see.
  bool in_user_space() const { return type.starts_with("fuse"); }
};

// Returns the file system of `path`, a path without symbolic links, according to `mounts`, the text of
// /proc/self/mountinfo.
FileSystem file_system(std::string_view mounts, const std::string& path);
FileSystem file_system(const std::string& path);

// Returns the bytes that this user may still write, ignoring quotas.
double free_bytes(int descriptor);
// Returns how many files may still be created; none if the file system has no limit.
std::optional<double> free_files(int descriptor);

// Returns the bytes of memory of this host.
double host_memory();

// How new files in a folder are striped over servers or disks.
struct Striping {
  std::int64_t count = 0;  // 0: the folder's default; -1: over all
  std::int64_t size = 0;   // bytes; 0: the folder's default
};
// Uses the file system's own tool, `lfs` or `beegfs-ctl`. Throws if it has no striping, or the tool fails.
void set_striping(const FileSystem& system, const std::string& folder, Striping striping);
// Returns what that tool reports for a file or folder: stripe_count, stripe_size, pool, targets; empty if there is no
// striping.
Json::Object striping(const FileSystem& system, const std::string& path);
// The same, parsed from the tools' output.
Json::Object lustre_striping(const std::string& text);
Json::Object beegfs_striping(const std::string& text);

}  // namespace banzuke
