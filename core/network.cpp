#include "core/network.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>

namespace banzuke {
namespace {

using Counters = std::map<std::string, double>;

double number(const std::string& text) {
  double value = 0.0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string first_line(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

// Returns whether a lower layer counts this interface's bytes as well: an interface that it is built on (as for a bond,
// a bridge, a VLAN) or the InfiniBand port under it (type 32).
bool counted_below(const std::string& root, const std::string& name, const Counters& ports) {
  const std::filesystem::path folder = root + "/sys/class/net/" + name;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    if (entry.path().filename().string().starts_with("lower_")) return true;
  }
  return !ports.empty() && first_line(folder / "type") == "32";
}

// Adds the interfaces of this process's network namespace to the ports, which must already be in `counters`. The file
// has two title lines, then `NAME: ` with 8 numbers for receiving and 8 for sending.
void read_interfaces(const std::string& root, Counters& counters) {
  const Counters ports = counters;
  std::ifstream in(root + "/proc/self/net/dev");
  for (std::string line; std::getline(in, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    std::istringstream head(line.substr(0, colon));
    std::istringstream words(line.substr(colon + 1));
    std::string name;
    std::vector<std::string> columns;
    head >> name;
    for (std::string word; words >> word;) columns.push_back(word);
    constexpr std::size_t sent_bytes = 8;
    if (name == "lo" || columns.size() <= sent_bytes || counted_below(root, name, ports)) continue;
    counters[name] = number(columns[sent_bytes]);
  }
}

// InfiniBand ports count four-byte words, including traffic that bypasses the kernel.
void read_ports(const std::string& root, Counters& counters) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  for (const auto& device : fs::directory_iterator(root + "/sys/class/infiniband", ignored)) {
    for (const auto& port : fs::directory_iterator(device.path() / "ports", ignored)) {
      const std::string words = first_line(port.path() / "counters" / "port_xmit_data");
      if (!words.empty()) {
        counters[device.path().filename().string() + ":" + port.path().filename().string()] = 4.0 * number(words);
      }
    }
  }
}

Counters read(const std::string& root) {
  Counters counters;
  read_ports(root, counters);
  read_interfaces(root, counters);
  return counters;
}

// Returns the rate in B/s. Ethernet reports Mbit/s, an InfiniBand port "100 Gb/sec (4X EDR)". The rate of a virtual
// interface is fictitious, so 0 is returned.
double link_rate(const std::string& root, const std::string& interface) {
  const auto colon = interface.find(':');
  if (colon == std::string::npos) {
    const std::string folder = root + "/sys/class/net/" + interface;
    if (!std::filesystem::exists(folder + "/device")) return 0.0;
    return std::max(0.0, number(first_line(folder + "/speed"))) * 1e6 / 8.0;
  }
  const std::string port = interface.substr(0, colon) + "/ports/" + interface.substr(colon + 1);
  return number(first_line(root + "/sys/class/infiniband/" + port + "/rate")) * 1e9 / 8.0;
}

}  // namespace

Wire::Wire(std::string root) : root_(std::move(root)), begin_(read(root_)) {}

Wire::Traffic Wire::sent() const {
  constexpr double carries = 0.1;  // least share of the busiest interface's bytes; other rails of a node exceed it
  Traffic traffic;
  Counters grown;
  double most = 0.0;
  for (const auto& [name, now] : read(root_)) {
    const auto before = begin_.find(name);
    const double bytes = before == begin_.end() ? 0.0 : std::max(0.0, now - before->second);
    traffic.bytes += bytes;
    grown[name] = bytes;
    most = std::max(most, bytes);
  }
  for (const auto& [name, bytes] : grown) {
    if (bytes == 0.0 || bytes < carries * most) continue;
    const double rate = link_rate(root_, name);
    const bool all_tell = traffic.interfaces.empty() || traffic.rate > 0.0;
    traffic.rate = all_tell && rate > 0.0 ? traffic.rate + rate : 0.0;
    traffic.interfaces += (traffic.interfaces.empty() ? "" : ",") + name;
  }
  return traffic;
}

Carried carried(const Communicator& ranks, const Wire& wire, double expected) {
  const Wire::Traffic here = wire.sent();
  const auto hosts = ranks.gather(Communicator::host());
  const auto kernels = ranks.gather(Communicator::kernel());
  const auto sent = ranks.gather(std::to_string(here.bytes));
  ranks.sum({&expected, 1});

  std::map<std::string, double> by_host;  // its ranks all read the same counters
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
    by_host[hosts[rank]] = std::max(by_host[hosts[rank]], number(sent[rank]));
  }
  if (by_host.size() < 2) return {};
  double bytes = 0.0;
  for (const auto& [host, of_host] : by_host) bytes += of_host;
  const std::set<std::string> distinct(kernels.begin(), kernels.end());
  return carried_between(here, bytes, expected, distinct.size() < by_host.size());
}

Carried carried_between(const Wire::Traffic& here, double bytes, double expected, bool share_kernel) {
  constexpr double tolerance = 0.5;
  const double missing = expected > 0.0 ? std::max(0.0, 1.0 - bytes / expected) : 0.0;
  Carried out;
  out.conditions.emplace_back("network_bytes", bytes);
  if (missing <= tolerance) {
    if (!here.interfaces.empty()) out.conditions.emplace_back("network_interface", here.interfaces);
    if (here.rate > 0.0) out.conditions.emplace_back("link_rate", here.rate);
    out.link_rate = here.rate;
  }
  if (share_kernel && expected > 0.0) {
    out.verification = {"share of the bytes between the hosts that no network interface carried", missing, tolerance};
  }
  return out;
}

}  // namespace banzuke
