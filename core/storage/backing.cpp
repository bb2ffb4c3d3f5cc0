#include "core/storage/backing.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>

#include "core/cpulist.hpp"

namespace banzuke {
namespace {

namespace fs = std::filesystem;

std::string setting_in(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

std::vector<fs::path> entries(const fs::path& folder) {
  std::error_code none;
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(folder, none)) out.push_back(entry.path());
  std::ranges::sort(out);
  return out;
}

// Returns the value of `name=` in comma-separated options; empty if it is missing.
std::string option(const std::string& options, const std::string& name) {
  for (const auto& one : split(options, ',')) {
    if (one.starts_with(name + "=")) return one.substr(name.size() + 1);
  }
  return {};
}

std::string text_of(const sockaddr* address) {
  std::array<char, NI_MAXHOST> text{};
  if (address == nullptr || (address->sa_family != AF_INET && address->sa_family != AF_INET6)) return {};
  const socklen_t size = address->sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  if (getnameinfo(address, size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0) return {};
  const std::string whole(text.data());
  return whole.substr(0, whole.find('%'));  // a link-local address is followed by its interface
}

std::set<std::string> own_addresses() {
  std::set<std::string> out;
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) return out;
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> held(first, freeifaddrs);
  for (const ifaddrs* one = first; one != nullptr; one = one->ifa_next) {
    if (std::string text = text_of(one->ifa_addr); !text.empty()) out.insert(std::move(text));
  }
  return out;
}

// Returns the addresses of a host, given by its name or an address.
std::vector<std::string> addresses_of(const std::string& name) {
  addrinfo* first = nullptr;
  if (name.empty() || getaddrinfo(name.c_str(), nullptr, nullptr, &first) != 0) return {};
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> held(first, freeaddrinfo);
  std::vector<std::string> out;
  for (const addrinfo* one = first; one != nullptr; one = one->ai_next) out.push_back(text_of(one->ai_addr));
  return out;
}

// "host", "host:port", "[address]:port" and "address@network" without what follows the host.
std::string host_of(std::string text) {
  text = text.substr(0, text.find('@'));
  if (text.starts_with('[')) return text.substr(1, text.find(']') - 1);
  if (std::ranges::count(text, ':') == 1) text = text.substr(0, text.find(':'));
  return text.substr(0, text.find('%'));
}

// Returns the servers that the source and options of a network file system name.
std::vector<std::string> servers(const FileSystem& system) {
  const std::string& source = system.source;
  std::string named;
  if (system.type == "nfs" || system.type == "nfs4") {
    named = source.substr(0, source.find(":/"));
  } else if (system.type == "cifs" || system.type == "smb3" || system.type == "smbfs") {
    if (source.starts_with("//")) named = source.substr(2, source.find('/', 2) - 2);
  } else if (system.type == "lustre") {
    named = source.substr(0, source.find(":/"));
    std::ranges::replace(named, ':', ',');
  } else if (system.type == "ceph") {
    named = option(system.options, "mon_addr");
    std::ranges::replace(named, '/', ',');
    if (named.empty()) named = source.substr(0, source.find(":/"));
  } else if (system.type == "9p" && option(system.options, "trans") == "tcp") {
    named = source;
  }
  if (named.empty()) return {};
  if (const std::string resolved = option(system.options, "addr"); !resolved.empty()) return {host_of(resolved)};
  std::vector<std::string> out;
  for (const auto& one : split(named, ',')) out.push_back(host_of(one));
  return out;
}

class Search {
 public:
  explicit Search(const Host& host) : host_(host) {}

  void of(const FileSystem& system) {
    if (system.in_memory()) found_.in_memory = true;
    if (system.type == "zfs") found_.caches.push_back({.kind = "zfs", .device = system.source});
    for (const auto& server : servers(system)) {
      if (own(server)) found_.caches.push_back({.kind = "own", .device = system.type, .over = server});
    }
    if (const fs::path upper = option(system.options, "upperdir"); system.type == "overlay" && upper.is_absolute()) {
      of_file(upper);
    }
    for (const auto& device : devices(system)) below(device);
  }

  Backing take() { return std::move(found_); }

 private:
  bool own(const std::string& name) const {
    const auto is_own = [&](const std::string& address) {
      return address.starts_with("127.") || address == "::1" || host_.addresses.contains(address);
    };
    return name == "0" || std::ranges::any_of(addresses_of(name), is_own);  // 0@lo is Lustre's own host
  }

  // Adds the caches below a file's file system; nothing if the file is not visible from here.
  void of_file(const fs::path& file) {
    std::error_code unseen;
    const fs::path whole = fs::canonical(file, unseen);
    if (!unseen) of(file_system(host_.mounts, whole.string()));
  }

  // Returns the sysfs folders of the file system's devices.
  std::vector<fs::path> devices(const FileSystem& system) const {
    const fs::path by_number = host_.sys / "dev/block";
    std::error_code none;
    fs::path device = fs::canonical(by_number / system.device, none);
    if (system.device.empty() || none) {
      struct stat status{};
      // The device number of Btrfs is not a block device's; its source is one of its devices.
      if (::stat(system.source.c_str(), &status) != 0 || !S_ISBLK(status.st_mode)) return {};
      const auto number = std::to_string(major(status.st_rdev)) + ":" + std::to_string(minor(status.st_rdev));
      device = fs::canonical(by_number / number, none);
      if (none) return {};
    }
    for (const auto& volume : entries(host_.sys / "fs/btrfs")) {
      const fs::path together = volume / "devices";
      if (!fs::exists(together / device.filename(), none)) continue;
      std::vector<fs::path> all;
      for (const auto& one : entries(together)) all.push_back(fs::canonical(one, none));
      return all;
    }
    return {device};
  }

  void below(const fs::path& device) {
    if (!seen_.insert(device).second) return;
    std::error_code none;
    if (fs::exists(device / "partition", none)) return below(device.parent_path());
    const std::string name = device.filename().string();
    if (fs::is_directory(device / "loop", none)) loop(device / "loop", name);
    if (name.starts_with("ram") || name.starts_with("zram")) found_.in_memory = true;
    if (name.starts_with("nbd") || name.starts_with("ublk")) {
      found_.caches.push_back({.kind = "process", .device = name});
    }
    for (const auto& server : targets(device)) {
      if (own(server)) found_.caches.push_back({.kind = "own", .device = name, .over = server});
    }
    for (const auto& slave : entries(device / "slaves")) below(fs::canonical(slave, none));
  }

  void loop(const fs::path& about, const std::string& name) {
    const std::string file = setting_in(about / "backing_file");
    if (setting_in(about / "dio") != "1") found_.caches.push_back({.kind = "loop", .device = name, .over = file});
    of_file(file);
  }

  // Returns the network targets of a device: for NVMe from its controllers, for iSCSI from its session.
  static std::vector<std::string> targets(const fs::path& device) {
    std::vector<std::string> out;
    std::vector<fs::path> controllers = entries(device / "device");
    controllers.push_back(device / "device");
    for (const auto& controller : controllers) {
      if (setting_in(controller / "transport") == "loop") out.emplace_back("127.0.0.1");
      const std::string address = option(setting_in(controller / "address"), "traddr");
      if (!address.empty() && setting_in(controller / "transport") != "pcie") out.push_back(address);
    }
    for (fs::path at = device; at.has_relative_path(); at = at.parent_path()) {
      if (!at.filename().string().starts_with("session")) continue;
      for (const auto& connection : entries(at)) {
        for (const auto& one : entries(connection / "iscsi_connection")) {
          out.push_back(host_of(setting_in(one / "persistent_address")));
        }
      }
    }
    return out;
  }

  const Host& host_;
  std::set<fs::path> seen_;
  Backing found_;
};

}  // namespace

Host Host::here() {
  std::ifstream file("/proc/self/mountinfo");
  return {.mounts = {std::istreambuf_iterator<char>(file), {}}, .addresses = own_addresses()};
}

Backing backing(const FileSystem& system, const Host& host) {
  Search search(host);
  search.of(system);
  return search.take();
}

}  // namespace banzuke
