// A stand-in for NVIDIA's management library, with its names and structures, for tests without a driver. Its devices
// are described in a file that BANZUKE_NVML names. It is read again at each call of nvmlDeviceGetHandleByIndex_v2, so
// that readings change while a program runs. Its lines are `KEY VALUE`:
//   driver 580.95.05          cuda 13000          init 18 (the status of nvmlInit_v2)
//   device 0 KEY VALUE        KEY is a function's name without `nvmlDeviceGet`, and its arguments besides the device:
//                             `UUID GPU-1`, `MaxClockInfo/1 1980`, `NvLinkState/3 1`; two numbers for two results
//   device 0 lost 15          the status of every call
// What a file does not name is not supported (status 3). SLOW SECONDS: how long a temperature takes.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <utility>

namespace {

constexpr int success = 0;
constexpr int not_supported = 3;
constexpr int not_found = 6;

using Values = std::map<std::string, std::string>;

struct File {
  Values values;
  std::map<std::string, Values> devices;
};

File& file() {
  static File one;
  return one;
}

void read() {
  const char* path = std::getenv("BANZUKE_NVML");
  std::ifstream in(path == nullptr ? "" : path);
  File found;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string key;
    std::string number;
    words >> key;
    if (key == "device") words >> number >> key;
    std::string value;
    std::getline(words >> std::ws, value);
    (number.empty() ? found.values : found.devices[number])[key] = value;
  }
  if (in.eof() && !found.values.empty())
    file() = std::move(found);  // a file that is being written is left for the next time
}

// Handles by name: the number of a device, or `0.1` for a slice.
std::map<std::string, std::string>& handles() {
  static std::map<std::string, std::string> all;
  return all;
}
void* handle(const std::string& name) { return &*handles().insert({name, name}).first; }
const std::string& name_of(void* device) {
  return static_cast<std::pair<const std::string, std::string>*>(device)->second;
}

// Sets the value of a key and returns a status, which is an error if there is none.
int find(void* device, const std::string& key, std::string& value) {
  Values& values = file().devices[name_of(device)];
  if (const auto lost = values.find("lost"); lost != values.end()) return std::stoi(lost->second);
  const auto found = values.find(key);
  if (found == values.end()) return not_supported;
  value = found->second;
  return success;
}

template <class T>
int number(void* device, const std::string& key, T* out) {
  std::string value;
  const int status = find(device, key, value);
  if (status == success) *out = static_cast<T>(std::stoull(value));
  return status;
}

template <class T>
int two(void* device, const std::string& key, T* first, T* second) {
  std::string value;
  const int status = find(device, key, value);
  if (status == success) std::istringstream(value) >> *first >> *second;
  return status;
}

int text(void* device, const std::string& key, char* out, unsigned size) {
  std::string value;
  const int status = find(device, key, value);
  if (status == success) std::snprintf(out, size, "%s", value.c_str());
  return status;
}

std::string with(const char* key, unsigned number) { return std::string(key) + "/" + std::to_string(number); }

struct MemoryInfo {
  unsigned long long total, free, used;
};
struct PciInfo {
  char legacy[16];
  unsigned domain, bus, device, id, subsystem;
  char address[32];
};
struct Utilisation {
  unsigned gpu, memory;
};
struct Process {
  unsigned pid;
  unsigned long long memory;
  unsigned gpu_instance, compute_instance;
};
struct Attributes {
  unsigned multiprocessors, copy_engines, decoders, encoders, jpeg, ofa, gpu_slices, compute_slices;
  unsigned long long memory_megabytes;
};

}  // namespace

extern "C" {

int nvmlInit_v2() {
  read();
  const auto init = file().values.find("init");
  return init == file().values.end() ? success : std::stoi(init->second);
}
int nvmlShutdown() { return success; }
const char* nvmlErrorString(int status) {
  switch (status) {
    case not_supported:
      return "Not Supported";
    case 9:
      return "Driver Not Loaded";
    case 15:
      return "GPU is lost";
    case 18:
      return "Driver/library version mismatch";
    default:
      return "Unknown Error";
  }
}
int nvmlSystemGetDriverVersion(char* out, unsigned size) {
  std::snprintf(out, size, "%s", file().values["driver"].c_str());
  return success;
}
int nvmlSystemGetCudaDriverVersion_v2(int* out) {
  *out = std::stoi("0" + file().values["cuda"]);
  return success;
}
int nvmlDeviceGetCount_v2(unsigned* out) {
  *out = 0;
  for (const auto& [name, values] : file().devices) *out += name.find('.') == std::string::npos ? 1 : 0;
  return success;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** out) {
  read();
  const std::string name = std::to_string(index);
  if (!file().devices.contains(name)) return not_found;
  *out = handle(name);
  return file().devices[name].contains("unreachable") ? 15 : success;
}
int nvmlDeviceGetUUID(void* device, char* out, unsigned size) { return text(device, "UUID", out, size); }
int nvmlDeviceGetName(void* device, char* out, unsigned size) { return text(device, "Name", out, size); }
int nvmlDeviceGetMemoryInfo(void* device, MemoryInfo* out) {
  const int status = two(device, "MemoryInfo", &out->total, &out->free);
  out->used = out->total - out->free;
  return status;
}
int nvmlDeviceGetPciInfo_v3(void* device, PciInfo* out) {
  return text(device, "PciInfo", out->address, sizeof out->address);
}
int nvmlDeviceGetCudaComputeCapability(void* device, int* major, int* minor) {
  return two(device, "CudaComputeCapability", major, minor);
}
int nvmlDeviceGetNumGpuCores(void* device, unsigned* out) { return number(device, "NumGpuCores", out); }
int nvmlDeviceGetMemoryBusWidth(void* device, unsigned* out) { return number(device, "MemoryBusWidth", out); }
int nvmlDeviceGetMaxClockInfo(void* device, unsigned kind, unsigned* out) {
  return number(device, with("MaxClockInfo", kind), out);
}
int nvmlDeviceGetClockInfo(void* device, unsigned kind, unsigned* out) {
  return number(device, with("ClockInfo", kind), out);
}
int nvmlDeviceGetMaxPcieLinkGeneration(void* device, unsigned* out) {
  return number(device, "MaxPcieLinkGeneration", out);
}
int nvmlDeviceGetGpuMaxPcieLinkGeneration(void* device, unsigned* out) {
  return number(device, "GpuMaxPcieLinkGeneration", out);
}
int nvmlDeviceGetMaxPcieLinkWidth(void* device, unsigned* out) { return number(device, "MaxPcieLinkWidth", out); }
int nvmlDeviceGetCurrPcieLinkGeneration(void* device, unsigned* out) {
  return number(device, "CurrPcieLinkGeneration", out);
}
int nvmlDeviceGetCurrPcieLinkWidth(void* device, unsigned* out) { return number(device, "CurrPcieLinkWidth", out); }
int nvmlDeviceGetPowerUsage(void* device, unsigned* out) { return number(device, "PowerUsage", out); }
int nvmlDeviceGetEnforcedPowerLimit(void* device, unsigned* out) { return number(device, "EnforcedPowerLimit", out); }
int nvmlDeviceGetPowerManagementDefaultLimit(void* device, unsigned* out) {
  return number(device, "PowerManagementDefaultLimit", out);
}
int nvmlDeviceGetPowerManagementLimitConstraints(void* device, unsigned* least, unsigned* most) {
  return two(device, "PowerManagementLimitConstraints", least, most);
}
int nvmlDeviceGetTotalEnergyConsumption(void* device, unsigned long long* out) {
  return number(device, "TotalEnergyConsumption", out);
}
int nvmlDeviceGetTemperature(void* device, unsigned, unsigned* out) {
  if (const auto slow = file().values.find("slow"); slow != file().values.end()) {
    std::this_thread::sleep_for(std::chrono::duration<double>(std::stod(slow->second)));
  }
  return number(device, "Temperature", out);
}
int nvmlDeviceGetCurrentClocksEventReasons(void* device, unsigned long long* out) {
  return number(device, "CurrentClocksEventReasons", out);
}
int nvmlDeviceGetUtilizationRates(void* device, Utilisation* out) {
  return two(device, "UtilizationRates", &out->gpu, &out->memory);
}
int nvmlDeviceGetTotalEccErrors(void* device, unsigned kind, unsigned, unsigned long long* out) {
  return number(device, with("TotalEccErrors", kind), out);
}
int nvmlDeviceGetEccMode(void* device, unsigned* now, unsigned* later) { return two(device, "EccMode", now, later); }
int nvmlDeviceGetRemappedRows(void* device, unsigned* corrected, unsigned* uncorrected, unsigned* pending,
                              unsigned* failed) {
  *corrected = *uncorrected = 0;
  return two(device, "RemappedRows", pending, failed);
}
int nvmlDeviceGetRetiredPagesPendingStatus(void* device, unsigned* out) {
  return number(device, "RetiredPagesPendingStatus", out);
}
int nvmlDeviceGetApplicationsClock(void* device, unsigned kind, unsigned* out) {
  return number(device, with("ApplicationsClock", kind), out);
}
int nvmlDeviceGetPersistenceMode(void* device, unsigned* out) { return number(device, "PersistenceMode", out); }
int nvmlDeviceGetComputeMode(void* device, unsigned* out) { return number(device, "ComputeMode", out); }
int nvmlDeviceGetMigMode(void* device, unsigned* now, unsigned* later) { return two(device, "MigMode", now, later); }
int nvmlDeviceGetMaxMigDeviceCount(void* device, unsigned* out) { return number(device, "MaxMigDeviceCount", out); }
int nvmlDeviceGetMigDeviceHandleByIndex(void* device, unsigned index, void** out) {
  const std::string name = name_of(device) + "." + std::to_string(index);
  if (!file().devices.contains(name)) return not_found;
  *out = handle(name);
  return success;
}
int nvmlDeviceGetAttributes_v2(void* device, Attributes* out) {
  return two(device, "Attributes", &out->multiprocessors, &out->gpu_slices);
}
int nvmlDeviceGetNvLinkState(void* device, unsigned link, unsigned* out) {
  return number(device, with("NvLinkState", link), out);
}
int nvmlDeviceGetNvLinkVersion(void* device, unsigned link, unsigned* out) {
  return number(device, with("NvLinkVersion", link), out);
}
int nvmlDeviceGetNvLinkRemotePciInfo_v2(void* device, unsigned link, PciInfo* out) {
  return text(device, with("NvLinkRemotePciInfo", link), out->address, sizeof out->address);
}
int nvmlDeviceGetNvLinkRemoteDeviceType(void* device, unsigned link, unsigned* out) {
  return number(device, with("NvLinkRemoteDeviceType", link), out);
}
int nvmlDeviceGetP2PStatus(void* device, void* other, int index, unsigned* out) {
  return number(device, "P2PStatus/" + name_of(other) + "/" + std::to_string(index), out);
}
int nvmlDeviceGetTopologyCommonAncestor(void* device, void* other, unsigned* out) {
  return number(device, "TopologyCommonAncestor/" + name_of(other), out);
}
int nvmlDeviceGetComputeRunningProcesses_v3(void* device, unsigned* count, Process* out) {
  std::string value;
  const int status = find(device, "ComputeRunningProcesses", value);
  if (status != success) return status;
  std::istringstream words(value);
  unsigned found = 0;
  for (unsigned pid = 0; found < *count && words >> pid; ++found) out[found] = {pid, 0, 0, 0};
  *count = found;
  return success;
}

}  // extern "C"
