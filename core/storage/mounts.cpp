#include "core/storage/mounts.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <functional>
#include <map>
#include <string>
#include <system_error>
#include <utility>

namespace banzuke {
namespace {

// Returns a hash of the mount that a double represents exactly, so that a sum with zeros distributes it to all ranks.
double identity(int folder) {
  struct stat status{};
  if (fstat(folder, &status) != 0) throw std::system_error(errno, std::generic_category(), "the folder's device");
  const auto hash = std::hash<std::string>()(Communicator::kernel() + " " + std::to_string(status.st_dev));
  constexpr unsigned surplus = 12;  // bits in excess of a double's fraction
  return static_cast<double>(hash >> surplus);
}

std::vector<double> identities(const Communicator& ranks, int folder) {
  std::vector<double> out(static_cast<std::size_t>(ranks.size()), 0.0);
  out[static_cast<std::size_t>(ranks.rank())] = identity(folder);
  ranks.sum(out);
  return out;
}

}  // namespace

Mounts::Mounts(const Communicator& ranks, int folder) : Mounts(identities(ranks, folder)) {}

Mounts::Mounts(std::span<const double> identities) {
  std::map<double, int> numbers;
  mount_.reserve(identities.size());
  for (const double identity : identities) {
    mount_.push_back(numbers.emplace(identity, static_cast<int>(numbers.size())).first->second);
  }
  count_ = static_cast<int>(numbers.size());
}

bool Mounts::apart(int shift) const {
  const std::size_t size = mount_.size();
  for (std::size_t rank = 0; rank < size; ++rank) {
    if (mount_[rank] == mount_[(rank + static_cast<std::size_t>(shift)) % size]) return false;
  }
  return true;
}

int Mounts::shift() const {
  for (int shift = 1; std::cmp_less(shift, mount_.size()); ++shift) {
    if (apart(shift)) return shift;
  }
  return 1;
}

}  // namespace banzuke
