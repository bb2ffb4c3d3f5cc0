// Decides whether a figure measures the storage or the memory of the hosts that used it.
#pragma once

#include <optional>
#include <string_view>

namespace banzuke::ior {

struct Evidence {
  std::string_view code;  // "direct", "pages absent", ...
  bool storage = false;   // false: the figure may be that of a cache
};

// What is known about a phase on the participating hosts; bytes are those of the mount that moved most.
struct Use {
  bool in_memory = false;      // the file system has no storage
  bool direct = false;         // bypasses the page cache
  bool drops_fsync = false;    // fsync does nothing on this file system
  bool replaced = false;       // another library provides calls on which the evidence relies
  bool in_user_space = false;  // a process on the host serves the file system, possibly with its own cache
  bool cached_below = false;   // a layer below may cache, too: a loop device, a server that is this host
  double bytes = 0.0;
  double memory = 0.0;
};

// `kept`: the largest fraction of a rank's data whose pages the host keeps although they were written and it was asked
// to drop them, e.g. because they exist nowhere else; none if unknown.
Evidence write_evidence(const Use& use, bool synchronised, std::optional<double> kept = std::nullopt);

// `cached`: the largest fraction of a rank's data that was in the page cache before the read; none if unknown.
// `others`: all of the data had been written through other mounts.
Evidence read_evidence(const Use& use, std::optional<double> cached, bool others);

}  // namespace banzuke::ior
