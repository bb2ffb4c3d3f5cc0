// The devices of this process by their identities: those assigned to it, and those that it uses. Needs no device
// library, so programs without devices can include it.
#pragma once

#include <string>
#include <vector>

namespace banzuke {

// The identities from `--devices`, and the rank's position on its host, which selects a device if none is given.
struct GivenDevices {
  std::vector<std::string> identities{};
  int local_rank = 0;
};
const GivenDevices& given_devices();
void give_devices(GivenDevices devices);

// Notes for the record that this process uses a device.
void uses_device(const std::string& identity);
const std::vector<std::string>& used_devices();

}  // namespace banzuke
