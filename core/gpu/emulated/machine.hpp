// Devices emulated by the processor, with which tests run whole programs, and make devices fail, without a real device.
// Work stays in its stream until the host waits for it; other streams are then run before it or left behind, as far as
// events allow, so that code that lacks a wait works on old data, as it might on a device. Environment variables set
// the configuration and the faults:
//   BANZUKE_EMULATED_DEVICES  number of devices; 1
//   BANZUKE_EMULATED_MEMORY   bytes on each; 2^30
//   BANZUKE_EMULATED_RATE     theoretical B/s of the memory; 0, unknown
//   BANZUKE_EMULATED_SLICES   number of MIG slices, instead of devices; as with CUDA, a process sees only the first,
//                             or those that CUDA_VISIBLE_DEVICES names
//   BANZUKE_EMULATED_CLOCK    seconds of the devices' clock per second; 1
//   BANZUKE_EMULATED_PEERS    how devices access each other: pcie, nvlink, or none (they cannot); pcie
//   BANZUKE_EMULATED_NCCL     none: there is no NCCL
//   BANZUKE_EMULATED_PINNING  none: existing memory cannot be locked for transfers
//   BANZUKE_EMULATED_FAULT    no-driver; old-driver; in-use; launch@N or copy@N: the Nth kernel or copy and all later
//                             operations fail; lost@N: the same for the Nth operation of any kind; missing-launch@N,
//                             missing-copy@N, missing-message@N: the Nth one is silently skipped; wrong-copy@N: its
//                             last byte is wrong; missing-loop@N: memory written directly after the Nth recording of
//                             an event, as by loops of directives, is restored by the next

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/gpu/runtime.hpp"

namespace banzuke::gpu::emulated {

// Returns an environment variable; empty: not set.
std::string variable(const char* name);
std::int64_t number(const char* name, std::int64_t usual);
double factor(const char* name, double usual);

struct Machine {
  int slices = static_cast<int>(number("BANZUKE_EMULATED_SLICES", 0));
  double clock = factor("BANZUKE_EMULATED_CLOCK", 1.0);
  int devices = static_cast<int>(number("BANZUKE_EMULATED_DEVICES", 1));
  std::size_t memory = static_cast<std::size_t>(number("BANZUKE_EMULATED_MEMORY", std::int64_t{1} << 30));
  std::string peers = variable("BANZUKE_EMULATED_PEERS");
  double rate = factor("BANZUKE_EMULATED_RATE", 0.0);
  std::string fault = variable("BANZUKE_EMULATED_FAULT");
  std::map<std::string, std::int64_t> done{};                                  // number of operations by kind
  std::string broken{};                                                        // why nothing works any more
  std::map<std::byte*, std::pair<int, std::size_t>, std::less<>> allocated{};  // pinned: device -1
  std::map<std::byte*, std::vector<std::byte>> kept{};                         // from before a lost loop
  std::mutex mutex{};

  std::size_t used(int device) const {
    std::size_t total = 0;
    for (const auto& [start, of] : allocated) total += of.first == device ? of.second : 0;
    return total;
  }
};

Machine& machine();
// Makes a new machine from the variables; all allocations are gone.
void renew();
std::string name_of(int device);
// Returns the identities of the devices that this process sees.
std::vector<std::string> visible();
// Counts an operation, such as a `launch`. Throws Error if it fails, as all after it do.
void operate(const std::string& kind, const std::string& what, const Caller& where, int device);
// Returns whether the last operation of a kind is the one that fails silently.
bool unnoticed(const std::string& fault, const std::string& kind);

}  // namespace banzuke::gpu::emulated
