// Whether a figure is that of the storage, or of the memory of the hosts that used it.
#pragma once

#include <optional>
#include <string_view>

namespace banzuke::ior {

struct Evidence {
  std::string_view code;  // "direct", "pages absent", ...
  bool storage = false;   // else the figure is that of a cache
};

// What is known of a phase on the hosts that took part; bytes are those of the host that moved most.
struct Use {
  bool in_memory = false;      // the file system has no storage
  bool direct = false;         // past the page cache
  bool drops_fsync = false;    // the file system has the call do nothing
  bool replaced = false;       // another library serves the calls that the evidence rests on
  bool in_user_space = false;  // a process on the host serves the file system, and may have a cache of its own
  bool cached_below = false;   // so does what lies below it: a loop device, a server that is this host
  double bytes = 0.0;
  double memory = 0.0;
};

// `kept`: the largest share of a rank's data whose pages the host keeps although they are written and it was asked to
// drop them, as where they are nowhere else; none: it is unknown.
Evidence write_evidence(const Use& use, bool synchronised, std::optional<double> kept = std::nullopt);

// `cached`: the largest share of a rank's data that the page cache had before it read; none: it is unknown.
// `others`: all of it had been written through other mounts.
Evidence read_evidence(const Use& use, std::optional<double> cached, bool others);

}  // namespace banzuke::ior
