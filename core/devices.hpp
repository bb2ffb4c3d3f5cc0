// The devices of this process by their identities: those that it is given, and those that it uses. Programs without
// devices need nothing of their libraries for this.
#pragma once

#include <string>
#include <vector>

namespace banzuke {

// Of `--devices`, and the position among the ranks of its host, by which one is chosen where none is given.
struct GivenDevices {
  std::vector<std::string> identities{};
  int local_rank = 0;
};
const GivenDevices& given_devices();
void give_devices(GivenDevices devices);

// Says that this process uses a device, for its record.
void uses_device(const std::string& identity);
const std::vector<std::string>& used_devices();

}  // namespace banzuke
