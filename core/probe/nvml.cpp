#include "nvml.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <string_view>
#include <utility>

namespace banzuke {
namespace {

// Function names, enumeration values and structure layouts are those of nvml.h.
using Device = void*;
constexpr int success = 0;
constexpr int sm_clock = 1;
constexpr int memory_clock = 2;
constexpr int links = 18;
constexpr double mega = 1e6;
constexpr double milli = 1e-3;
constexpr double mebibyte = 1 << 20;

struct MemoryInfo {
  unsigned long long total, free, used;
};
struct PciInfo {
  char legacy[16];
  unsigned int domain, bus, device, id, subsystem;
  char address[32];
};
struct Utilisation {
  unsigned int gpu, memory;
};
struct Process {
  unsigned int pid;
  unsigned long long memory;
  unsigned int gpu_instance, compute_instance;
};
struct Attributes {
  unsigned int multiprocessors, copy_engines, decoders, encoders, jpeg, ofa, gpu_slices, compute_slices;
  unsigned long long memory_megabytes;
};

// Converts an address such as `00000000:3B:00.0` to the kernel's form: four-digit domain, lower case.
std::string kernels_address(std::string_view text) {
  std::string out;
  for (const char letter : text) out += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  const auto colon = out.find(':');
  return colon == 8 ? out.substr(4) : out;
}

}  // namespace

class Nvml::Library {
 public:
  explicit Library(void* handle) : handle_(handle) {}
  ~Library() {
    (void)call("nvmlShutdown");
    dlclose(handle_);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  // Calls the function and returns its status; none if this version lacks the function.
  template <class... Arguments>
  std::optional<int> call(const char* name, Arguments... arguments) const {
    void* function = dlsym(handle_, name);
    if (function == nullptr) return std::nullopt;
    return reinterpret_cast<int (*)(Arguments...)>(function)(arguments...);
  }
  template <class... Arguments>
  bool does(const char* name, Arguments... arguments) const {
    return call(name, arguments...) == success;
  }
  // Returns what the function writes into its last argument.
  template <class T, class... Arguments>
  std::optional<T> get(const char* name, Arguments... arguments) const {
    T value{};
    return does(name, arguments..., &value) ? std::optional(value) : std::nullopt;
  }
  template <class... Arguments>
  std::optional<int> number(const char* name, Arguments... arguments) const {
    const auto value = get<unsigned>(name, arguments...);
    return value ? std::optional(static_cast<int>(*value)) : std::nullopt;
  }
  template <class... Arguments>
  std::optional<double> scaled(double unit, const char* name, Arguments... arguments) const {
    const auto value = get<unsigned>(name, arguments...);
    return value ? std::optional(*value * unit) : std::nullopt;
  }
  template <class... Arguments>
  std::string text(const char* name, Arguments... arguments) const {
    std::array<char, 96> value{};
    return does(name, arguments..., value.data(), static_cast<unsigned>(value.size())) ? value.data() : "";
  }
  // Returns whether the current one of two modes (current and pending) is on.
  std::optional<bool> mode(const char* name, Device device) const {
    unsigned now = 0;
    unsigned later = 0;
    return does(name, device, &now, &later) ? std::optional(now != 0) : std::nullopt;
  }

  std::string error(int status) const {
    void* function = dlsym(handle_, "nvmlErrorString");
    const char* words = function == nullptr ? nullptr : reinterpret_cast<const char* (*)(int)>(function)(status);
    return (words == nullptr ? "NVML" : std::string(words)) + " (NVML error " + std::to_string(status) + ")";
  }

 private:
  void* handle_;
};

Nvml::Nvml(std::unique_ptr<Library> library)
    : library_(std::move(library)), driver_(library_->text("nvmlSystemGetDriverVersion")) {}
Nvml::~Nvml() = default;

namespace {

void* load() { return dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL); }

}  // namespace

bool Nvml::installed() {
  void* handle = load();
  if (handle != nullptr) dlclose(handle);
  return handle != nullptr;
}

std::unique_ptr<Nvml> Nvml::open(std::string& why) {
  void* handle = load();
  if (handle == nullptr) {
    why = "the NVIDIA driver is not installed here: its libnvidia-ml.so.1 is not there";
    return nullptr;
  }
  auto library = std::make_unique<Library>(handle);
  const auto status = library->call("nvmlInit_v2");
  if (status != success) {
    why = status ? library->error(*status) : "libnvidia-ml.so.1 has no nvmlInit_v2";
    return nullptr;
  }
  return std::unique_ptr<Nvml>(new Nvml(std::move(library)));
}

std::string Nvml::cuda() const {
  const auto version = library_->get<int>("nvmlSystemGetCudaDriverVersion_v2");
  return version ? std::to_string(*version / 1000) + "." + std::to_string(*version % 1000 / 10) : "";
}

namespace {

template <class Library>
void read_memory(const Library& library, Device device, std::optional<double>& total, std::optional<double>& free) {
  if (const auto memory = library.template get<MemoryInfo>("nvmlDeviceGetMemoryInfo", device)) {
    total = static_cast<double>(memory->total);
    free = static_cast<double>(memory->free);
  }
}

template <class Library>
std::vector<Slice> slices(const Library& library, Device device) {
  std::vector<Slice> found;
  const int most = library.number("nvmlDeviceGetMaxMigDeviceCount", device).value_or(0);
  for (int i = 0; i < most; ++i) {
    Device slice = nullptr;
    if (!library.does("nvmlDeviceGetMigDeviceHandleByIndex", device, static_cast<unsigned>(i), &slice)) continue;
    Slice one{.identity = library.text("nvmlDeviceGetUUID", slice), .name = library.text("nvmlDeviceGetName", slice)};
    read_memory(library, slice, one.memory, one.memory_free);
    if (const auto of = library.template get<Attributes>("nvmlDeviceGetAttributes_v2", slice)) {
      one.multiprocessors = static_cast<int>(of->multiprocessors);
      if (!one.memory) one.memory = static_cast<double>(of->memory_megabytes) * mebibyte;
    }
    found.push_back(std::move(one));
  }
  return found;
}

// nvmlIntNvLinkDeviceType_t.
std::string end_of_link(std::optional<int> kind) {
  constexpr std::array names{"device", "processor", "switch"};
  return kind && *kind >= 0 && *kind < std::ssize(names) ? names[static_cast<std::size_t>(*kind)] : "";
}

template <class Library>
std::vector<NvLink> nvlinks(const Library& library, Device device) {
  std::vector<NvLink> found;
  for (unsigned link = 0; link < links; ++link) {
    if (library.number("nvmlDeviceGetNvLinkState", device, link) != 1) continue;
    NvLink one{.number = static_cast<int>(link), .version = library.number("nvmlDeviceGetNvLinkVersion", device, link)};
    if (const auto peer = library.template get<PciInfo>("nvmlDeviceGetNvLinkRemotePciInfo_v2", device, link)) {
      one.peer = kernels_address(peer->address);
    }
    one.kind = end_of_link(library.number("nvmlDeviceGetNvLinkRemoteDeviceType", device, link));
    found.push_back(std::move(one));
  }
  return found;
}

// Returns the kind of path between two devices, by nvmlGpuTopologyLevel_t; "nvlink" if nvmlGpuP2PCapsIndex_t says so.
template <class Library>
std::string_view path_between(const Library& library, Device device, Device other) {
  constexpr int by_nvlink = 2;
  if (library.number("nvmlDeviceGetP2PStatus", device, other, by_nvlink) == 0) return "nvlink";
  switch (library.number("nvmlDeviceGetTopologyCommonAncestor", device, other).value_or(-1)) {
    case 0:   // same board
    case 10:  // a single switch
    case 20:  // several switches
      return "switch";
    case 30:
      return "bridge";
    case 40:
      return "node";
    case 50:
      return "system";
    default:
      return "";
  }
}

// Returns whether a device can read and write the other's memory (nvmlGpuP2PStatus_t); empty if unknown.
template <class Library>
std::string_view access_between(const Library& library, Device device, Device other) {
  const auto read = library.number("nvmlDeviceGetP2PStatus", device, other, 0);
  const auto write = library.number("nvmlDeviceGetP2PStatus", device, other, 1);
  if (!read || !write) return "";
  return *read == 0 && *write == 0 ? "yes" : "no";
}

// Returns the state of repairs. Faulty memory is replaced at a reset: rows since the A100, pages before it.
template <class Library>
std::string_view repair(const Library& library, Device device) {
  unsigned corrected = 0;
  unsigned uncorrected = 0;
  unsigned pending = 0;
  unsigned failed = 0;
  if (library.does("nvmlDeviceGetRemappedRows", device, &corrected, &uncorrected, &pending, &failed)) {
    return failed != 0 ? "failed" : pending != 0 ? "pending" : "none";
  }
  const auto pages = library.number("nvmlDeviceGetRetiredPagesPendingStatus", device);
  return !pages ? "" : *pages != 0 ? "pending" : "none";
}

std::string compute_mode(std::optional<int> mode) {
  constexpr std::array names{"default", "exclusive", "prohibited", "exclusive"};
  return mode && *mode >= 0 && *mode < std::ssize(names) ? names[static_cast<std::size_t>(*mode)] : "";
}

}  // namespace

std::vector<NvidiaDevice> Nvml::devices() const {
  const Library& of = *library_;
  const int count = of.number("nvmlDeviceGetCount_v2").value_or(0);
  std::vector<Device> handles(static_cast<std::size_t>(count));
  std::vector<NvidiaDevice> found;
  for (int number = 0; number < count; ++number) {
    Device& device = handles[static_cast<std::size_t>(number)];
    NvidiaDevice one{.number = number, .identity = ""};
    const auto status = of.call("nvmlDeviceGetHandleByIndex_v2", static_cast<unsigned>(number), &device);
    if (status != success) {
      device = nullptr;
      one.problem = of.error(status.value_or(-1));
      found.push_back(std::move(one));
      continue;
    }
    one.identity = of.text("nvmlDeviceGetUUID", device);
    if (one.identity.empty()) {  // every device has one, so it is lost or refuses
      std::array<char, 96> unused{};
      one.problem = of.error(
          of.call("nvmlDeviceGetUUID", device, unused.data(), static_cast<unsigned>(unused.size())).value_or(-1));
      device = nullptr;
      found.push_back(std::move(one));
      continue;
    }
    one.name = of.text("nvmlDeviceGetName", device);
    if (const auto pci = of.get<PciInfo>("nvmlDeviceGetPciInfo_v3", device)) one.bus = kernels_address(pci->address);
    read_memory(of, device, one.memory, one.memory_free);
    int major = 0;
    int minor = 0;
    if (of.does("nvmlDeviceGetCudaComputeCapability", device, &major, &minor)) {
      one.capability = std::to_string(major) + "." + std::to_string(minor);
    }
    one.cores = of.number("nvmlDeviceGetNumGpuCores", device);
    one.memory_bits = of.number("nvmlDeviceGetMemoryBusWidth", device);
    one.clock_max = of.scaled(mega, "nvmlDeviceGetMaxClockInfo", device, sm_clock);
    one.memory_clock_max = of.scaled(mega, "nvmlDeviceGetMaxClockInfo", device, memory_clock);
    one.clock_set = of.scaled(mega, "nvmlDeviceGetApplicationsClock", device, sm_clock);
    one.link_generation_max = of.number("nvmlDeviceGetMaxPcieLinkGeneration", device);
    one.link_generation_device = of.number("nvmlDeviceGetGpuMaxPcieLinkGeneration", device);
    one.link_width_max = of.number("nvmlDeviceGetMaxPcieLinkWidth", device);
    one.power_default = of.scaled(milli, "nvmlDeviceGetPowerManagementDefaultLimit", device);
    unsigned least = 0;
    unsigned most = 0;
    if (of.does("nvmlDeviceGetPowerManagementLimitConstraints", device, &least, &most)) {
      one.power_least = least * milli;
      one.power_most = most * milli;
    }
    one.ecc = of.mode("nvmlDeviceGetEccMode", device);
    if (const auto on = of.number("nvmlDeviceGetPersistenceMode", device)) one.persistent = *on != 0;
    one.compute_mode = compute_mode(of.number("nvmlDeviceGetComputeMode", device));
    one.sliced = of.mode("nvmlDeviceGetMigMode", device);
    if (one.sliced.value_or(false)) one.slices = slices(of, device);
    one.nvlinks = nvlinks(of, device);
    found.push_back(std::move(one));
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (std::size_t j = 0; j < found.size(); ++j) {
      const bool known = i != j && handles[i] != nullptr && handles[j] != nullptr;
      found[i].paths.emplace_back(known ? path_between(of, handles[i], handles[j]) : "");
      found[i].access.emplace_back(known ? access_between(of, handles[i], handles[j]) : "");
    }
  }
  return found;
}

std::optional<NvidiaReading> Nvml::reading(int number, std::string& why, bool briefly) const {
  const Library& of = *library_;
  Device device = nullptr;
  auto status = of.call("nvmlDeviceGetHandleByIndex_v2", static_cast<unsigned>(number), &device);
  unsigned temperature = 0;
  constexpr int of_the_chip = 0;
  // Every device has a temperature: if it cannot be read, the device is lost or refuses.
  if (status == success) status = of.call("nvmlDeviceGetTemperature", device, of_the_chip, &temperature);
  if (status != success) {
    why = of.error(status.value_or(-1));
    return std::nullopt;
  }
  NvidiaReading out;
  out.temperature = temperature;
  out.clock = of.scaled(mega, "nvmlDeviceGetClockInfo", device, sm_clock);
  out.memory_clock = of.scaled(mega, "nvmlDeviceGetClockInfo", device, memory_clock);
  out.power = of.scaled(milli, "nvmlDeviceGetPowerUsage", device);
  if (const auto energy = of.get<unsigned long long>("nvmlDeviceGetTotalEnergyConsumption", device)) {
    out.energy = static_cast<double>(*energy) * milli;
  }
  // Drivers older than CUDA 12.3 have the second name.
  auto reasons = of.get<unsigned long long>("nvmlDeviceGetCurrentClocksEventReasons", device);
  if (!reasons) reasons = of.get<unsigned long long>("nvmlDeviceGetCurrentClocksThrottleReasons", device);
  if (reasons) out.reasons = *reasons;
  if (briefly) return out;
  out.power_limit = of.scaled(milli, "nvmlDeviceGetEnforcedPowerLimit", device);
  constexpr double percent = 0.01;
  if (const auto used = of.get<Utilisation>("nvmlDeviceGetUtilizationRates", device)) {
    out.utilisation = used->gpu * percent;
  }
  constexpr int since_loaded = 0;
  for (const auto& [kind, into] : {std::pair{0, &out.ecc_corrected}, {1, &out.ecc_uncorrected}}) {
    if (const auto errors = of.get<unsigned long long>("nvmlDeviceGetTotalEccErrors", device, kind, since_loaded)) {
      *into = static_cast<double>(*errors);
    }
  }
  out.repair = repair(of, device);
  out.link_generation = of.number("nvmlDeviceGetCurrPcieLinkGeneration", device);
  out.link_width = of.number("nvmlDeviceGetCurrPcieLinkWidth", device);
  std::array<Process, 256> processes{};
  auto count = static_cast<unsigned>(processes.size());
  const auto listed = of.call("nvmlDeviceGetComputeRunningProcesses_v3", device, &count, processes.data());
  if (listed == success) {
    count = std::min(count, static_cast<unsigned>(processes.size()));
    for (unsigned i = 0; i < count; ++i) {
      out.processes.push_back(static_cast<int>(processes[i].pid));
    }
  }
  return out;
}

}  // namespace banzuke
