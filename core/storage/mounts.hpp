// Finds which ranks share a storage area's caches, and which must exchange their data so that none reads its own.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "core/communicator.hpp"

namespace banzuke {

// A mount is the area as one kernel has it in its tree; the ranks that use it share that kernel's caches. Usually there
// is one mount on each host.
class Mounts {
 public:
  // Collective; `folder` is a descriptor of the area.
  Mounts(const Communicator& ranks, int folder);
  // `identities`: by rank, equal for ranks of the same mount.
  explicit Mounts(std::span<const double> identities);

  int count() const { return count_; }
  // Returns the mount of a rank; mounts are numbered in the order of their first ranks.
  int of(int rank) const { return mount_[static_cast<std::size_t>(rank)]; }
  int ranks(int mount) const { return static_cast<int>(std::ranges::count(mount_, mount)); }
  // Returns whether every rank's mount differs from that of the rank `shift` further on.
  bool apart(int shift) const;
  // Returns the smallest shift for which apart() holds; 1 if there is none.
  int shift() const;

 private:
  std::vector<int> mount_;
  int count_ = 0;
};

}  // namespace banzuke
