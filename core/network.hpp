// The network interfaces of this host and their traffic.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/application.hpp"
#include "core/communicator.hpp"

namespace banzuke {

// Bytes sent by this host's interfaces since construction. Excludes loopback; traffic of stacked interfaces is counted
// once.
class Wire {
 public:
  explicit Wire(std::string root = "");  // prefix of /proc and /sys, for tests

  struct Traffic {
    double bytes = 0.0;      // of all interfaces
    std::string interfaces;  // those that carried most of them, comma-separated; empty: none carried anything
    double rate = 0.0;       // one-way B/s of their links; 0: not all of them report it
  };
  Traffic sent() const;

 private:
  std::string root_;
  std::map<std::string, double> begin_;
};

// What a benchmark with messages between hosts reports about the network.
struct Carried {
  // Conditions of the record: network_bytes; network_interface and link_rate if these bytes are the messages. The
  // kernel does not see the traffic of every network (Slingshot, EFA); what it sees then belongs to another network.
  Json::Object conditions;
  double link_rate = 0.0;  // B/s; 0: not known, or all ranks are on one host
  // If hosts share a kernel (containers, network namespaces), MPI may bypass the network through shared memory. Unset
  // if that is impossible.
  std::optional<Verification> verification;
};

// Collective; the result is valid on rank 0. `expected`: bytes that this rank sent to ranks on other hosts since `wire`
// was constructed.
Carried carried(const Communicator& ranks, const Wire& wire, double expected);
// The result if the interfaces of all hosts sent `bytes`, and those of rank 0's host sent `here`; for the test.
Carried carried_between(const Wire::Traffic& here, double bytes, double expected, bool share_kernel);

}  // namespace banzuke
