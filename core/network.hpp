// The network interfaces of this host and what went through them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/application.hpp"
#include "core/communicator.hpp"

namespace banzuke {

// Bytes that left this host's interfaces since it was made; loopback is none, and what one of several on top of each
// other carried is counted once.
class Wire {
 public:
  explicit Wire(std::string root = "");  // of the /proc and /sys that are read, for tests

  struct Traffic {
    double bytes = 0.0;      // of all interfaces
    std::string interfaces;  // that carried most of them, commas between; empty: none carried anything
    double rate = 0.0;       // B/s that the links of these allow one way; 0: not all of them tell
  };
  Traffic sent() const;

 private:
  std::string root_;
  std::map<std::string, double> begin_;
};

// What a benchmark of messages between hosts says of the network.
struct Carried {
  // Conditions of the record: network_bytes; network_interface and link_rate where these bytes are the messages. The
  // kernel does not see those of every network (Slingshot, EFA), and what it sees then is another one.
  Json::Object conditions;
  double link_rate = 0.0;  // B/s; 0: not known, or all ranks are on one host
  // Where hosts share a kernel (containers, network namespaces), MPI may pass by the network through shared memory.
  // None where that cannot be.
  std::optional<Verification> verification;
};

// Collective; the result is rank 0's. `expected`: bytes that this rank sent to ranks on other hosts since `wire` was
// made.
Carried carried(const Communicator& ranks, const Wire& wire, double expected);
// What follows where the interfaces of all hosts sent `bytes`, those of rank 0's host as in `here`; for the test.
Carried carried_between(const Wire::Traffic& here, double bytes, double expected, bool share_kernel);

}  // namespace banzuke
