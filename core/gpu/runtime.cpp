// The CUDA and HIP runtimes: their names differ only in the prefix, see api.hpp.

#include "core/gpu/runtime.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "core/gpu/api.hpp"
#include "core/gpu/uuid.hpp"

namespace banzuke::gpu {
namespace {

#ifdef BANZUKE_HIP
constexpr const char* toolkit = "HIP";
constexpr const char* driver_names = "the driver amdgpu";
#else
constexpr const char* toolkit = "CUDA";
constexpr const char* driver_names = "the NVIDIA driver";
#endif

std::string version_text(int version) {
#ifdef BANZUKE_HIP
  return std::to_string(version / 10'000'000) + "." + std::to_string(version / 100'000 % 100);
#else
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
#endif
}

// Returns the toolkit version that the driver supports; 0 if there is no driver.
int driver_version() {
  int version = 0;
  return GPU(DriverGetVersion)(&version) == GPU(Success) ? version : 0;
}

int runtime_version() {
  int version = 0;
  return GPU(RuntimeGetVersion)(&version) == GPU(Success) ? version : 0;
}

#ifdef BANZUKE_HIP
std::string identity(int number) {
  hipUUID uuid{};
  if (hipDeviceGetUuid(&uuid, number) != hipSuccess) return "";
  // ROCm stores the 16 digits of the unique id as text.
  return "GPU-" + std::string(static_cast<const char*>(uuid.bytes), strnlen(uuid.bytes, sizeof uuid.bytes));
}
#else
// Version 2 of the driver's function, which distinguishes a MIG slice from its parent device. Taken from the driver
// itself, because the runtime's access to driver functions changed twice between CUDA 12.4 and 13.0.
Uuid uuid_of_slice(int number) {
  Uuid uuid{};
  if (void* driver = dlopen("libcuda.so.1", RTLD_LAZY)) {
    if (void* found = dlsym(driver, "cuDeviceGetUuid_v2")) reinterpret_cast<int (*)(Uuid*, int)>(found)(&uuid, number);
    dlclose(driver);
  }
  return uuid;
}

std::string identity(int number) {
  cudaDeviceProp properties{};
  if (cudaGetDeviceProperties(&properties, number) != cudaSuccess) return "";
  if (std::string_view(properties.name).find(" MIG ") != std::string_view::npos) {
    const Uuid slice = uuid_of_slice(number);
    return "MIG-" + text(slice);
  }
  Uuid whole{};
  std::ranges::copy(properties.uuid.bytes, whole.begin());
  return "GPU-" + text(whole);
}
#endif

// Returns identity and name of the current device, for messages about a device that may be lost; never throws.
std::string current_name() {
  int number = 0;
  if (GPU(GetDevice)(&number) != GPU(Success)) return "the device";
#ifdef BANZUKE_HIP
  hipDeviceProp_t properties{};
#else
  cudaDeviceProp properties{};
#endif
  if (GPU(GetDeviceProperties)(&properties, number) != GPU(Success)) return "device " + std::to_string(number);
  return std::string(properties.name) + " (" + identity(number) + ")";
}

std::string file_and_line(const Caller& where) {
  const std::string_view path = where.file;
  const auto slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1)) + ":" +
         std::to_string(where.line);
}

void check(GPU(Error_t) status, const std::string& what, const Caller& where = Caller::here()) {
  if (status == GPU(Success)) return;
  // A sticky error recurs in every further call: the process cannot use the device any more.
  (void)GPU(GetLastError)();
  const auto after = GPU(StreamQuery)(nullptr);
  const bool sticky = after != GPU(Success) && after != GPU(ErrorNotReady);
  throw Error("cannot " + what + ": " + GPU(GetErrorString)(status) + " (" + GPU(GetErrorName)(status) + ", at " +
              file_and_line(where) + "; " + current_name() +
              (sticky ? " answers nothing more in this process)" : " still answers)"));
}

[[noreturn]] void no_device(GPU(Error_t) status) {
  const int driver = driver_version();
  const int runtime = runtime_version();
  if (driver == 0) {
    throw NoDeviceError(std::string("there is no device: ") + driver_names +
                        " is not installed, or not visible in this container");
  }
  if (driver / 1000 < runtime / 1000) {
    throw NoDeviceError("the driver is older than the toolkit: the driver serves " + std::string(toolkit) + " up to " +
                        version_text(driver) + ", this program was built with " + version_text(runtime));
  }
  throw NoDeviceError(std::string("there is no device: ") + GPU(GetErrorString)(status) + " (" +
                      GPU(GetErrorName)(status) + ")");
}

GPU(Stream_t) as_native(const Stream& stream) { return static_cast<GPU(Stream_t)>(stream.native()); }
GPU(Event_t) as_native(const Event& event) { return static_cast<GPU(Event_t)>(event.native()); }

// Queries single attributes, because CUDA 13 has dropped the clock from the device properties.
double memory_rate(int number) {
#ifdef BANZUKE_HIP
  constexpr auto clock = hipDeviceAttributeMemoryClockRate;
  constexpr auto width = hipDeviceAttributeMemoryBusWidth;
#else
  constexpr auto clock = cudaDevAttrMemoryClockRate;
  constexpr auto width = cudaDevAttrGlobalMemoryBusWidth;
#endif
  int kilohertz = 0;
  int bits = 0;
  if (GPU(DeviceGetAttribute)(&kilohertz, clock, number) != GPU(Success) ||
      GPU(DeviceGetAttribute)(&bits, width, number) != GPU(Success)) {
    (void)GPU(GetLastError)();
    return 0.0;
  }
  return bits / 8.0 * kilohertz * 1e3 * 2.0;
}

DeviceInfo info(int number) {
#ifdef BANZUKE_HIP
  hipDeviceProp_t properties{};
#else
  cudaDeviceProp properties{};
#endif
  check(GPU(GetDeviceProperties)(&properties, number), "read the properties of device " + std::to_string(number));
  DeviceInfo out{.number = number, .identity = identity(number), .name = properties.name};
  std::array<char, 32> bus{};
  if (GPU(DeviceGetPCIBusId)(bus.data(), bus.size(), number) == GPU(Success)) {
    for (const char letter : std::string_view(bus.data())) out.bus += static_cast<char>(std::tolower(letter));
  }
  out.memory = properties.totalGlobalMem;
  out.l2_cache = static_cast<std::size_t>(properties.l2CacheSize);
  out.memory_rate = memory_rate(number);
  out.multiprocessors = properties.multiProcessorCount;
#ifdef BANZUKE_HIP
  out.architecture = std::string(properties.gcnArchName).substr(0, std::string(properties.gcnArchName).find(':'));
#else
  out.architecture = "sm_" + std::to_string(properties.major) + std::to_string(properties.minor);
#endif
  return out;
}

}  // namespace

std::string platform() {
  return std::string(toolkit) + " " + version_text(runtime_version()) + ", driver for " +
         version_text(driver_version());
}

std::vector<DeviceInfo> devices() {
  int number = 0;
  const auto status = GPU(GetDeviceCount)(&number);
  if (status != GPU(Success) || number == 0) no_device(status);
  std::vector<DeviceInfo> found;
  found.reserve(static_cast<std::size_t>(number));
  for (int i = 0; i < number; ++i) found.push_back(info(i));
  return found;
}

void use(int number) {
  const auto status = GPU(SetDevice)(number);
  // Creates the context here rather than in the first call that needs one, whose time would include it.
  const auto made = status == GPU(Success) ? GPU(Free)(nullptr) : status;
#ifndef BANZUKE_HIP
  if (made == cudaErrorDevicesUnavailable) {
    throw NoDeviceError("device " + std::to_string(number) +
                        " is in use by another process, and its compute mode lets one process use it at a time");
  }
#endif
  if (made == GPU(ErrorNoDevice) || made == GPU(ErrorInsufficientDriver)) no_device(made);
  check(made, "use device " + std::to_string(number));
}

DeviceInfo current() {
  int number = 0;
  check(GPU(GetDevice)(&number), "ask for the current device");
  DeviceInfo out = info(number);
  std::size_t total = 0;
  check(GPU(MemGetInfo)(&out.free, &total), "ask for the free memory");
  return out;
}

bool reach(int device, int other) {
  int can = 0;
  if (device == other || GPU(DeviceCanAccessPeer)(&can, device, other) != GPU(Success) || can == 0) return false;
  int before = 0;
  check(GPU(GetDevice)(&before), "ask for the current device");
  check(GPU(SetDevice)(device), "use device " + std::to_string(device));
  const auto status = GPU(DeviceEnablePeerAccess)(other, 0);
  (void)GPU(GetLastError)();
  check(GPU(SetDevice)(before), "use device " + std::to_string(before));
  return status == GPU(Success) || status == GPU(ErrorPeerAccessAlreadyEnabled);
}

void turn_to(int number) { check(GPU(SetDevice)(number), "use device " + std::to_string(number)); }

bool linked(int device, int other) {
  if (device == other) return false;
#ifdef BANZUKE_HIP
  constexpr std::uint32_t infinity_fabric = 4;  // HSA_AMD_LINK_INFO_TYPE_XGMI
  std::uint32_t kind = 0;
  std::uint32_t hops = 0;
  return hipExtGetLinkTypeAndHopCount(device, other, &kind, &hops) == hipSuccess && kind == infinity_fabric;
#else
  // Atomics between devices are native only over NVLink.
  int native = 0;
  return cudaDeviceGetP2PAttribute(&native, cudaDevP2PAttrNativeAtomicSupported, device, other) == cudaSuccess &&
         native != 0;
#endif
}

bool has_clock() { return true; }

Stream::Stream(Priority priority) {
  GPU(Stream_t) made = nullptr;
  int least = 0;
  int greatest = 0;
  check(GPU(DeviceGetStreamPriorityRange)(&least, &greatest), "ask for the priorities of streams");
  check(GPU(StreamCreateWithPriority)(&made, GPU(StreamNonBlocking), priority == Priority::first ? greatest : least),
        "create a stream");
  stream_ = made;
}
Stream::~Stream() { (void)GPU(StreamDestroy)(as_native(*this)); }
void Stream::wait(Caller where) const {
  check(GPU(StreamSynchronize)(as_native(*this)), "finish what was queued", where);
}
void Stream::after(const Event& event) const {
  check(GPU(StreamWaitEvent)(as_native(*this), as_native(event), 0), "wait for an event");
}

Event::Event(Waiting waiting) {
  GPU(Event_t) made = nullptr;
  const auto flags = waiting == Waiting::asleep ? GPU(EventBlockingSync) : GPU(EventDefault);
  check(GPU(EventCreateWithFlags)(&made, flags), "create an event");
  event_ = made;
}
Event::~Event() { (void)GPU(EventDestroy)(as_native(*this)); }
void Event::record(const Stream& stream) const {
  check(GPU(EventRecord)(as_native(*this), as_native(stream)), "record an event");
}
void Event::wait(Caller where) const {
  check(GPU(EventSynchronize)(as_native(*this)), "finish what was queued", where);
}
double Event::seconds_since(const Event& earlier) const {
  float milliseconds = 0.0F;
  check(GPU(EventElapsedTime)(&milliseconds, as_native(earlier), as_native(*this)), "read the device's clock");
  return static_cast<double>(milliseconds) * 1e-3;
}

Pinning::Pinning(void* start, std::size_t bytes) : start_(start) {
  const auto status = GPU(HostRegister)(start, bytes, GPU(HostRegisterDefault));
  if (status == GPU(Success)) return;
  (void)GPU(GetLastError)();
  why_ = GPU(GetErrorString)(status);
}
Pinning::~Pinning() {
  if (locked()) (void)GPU(HostUnregister)(start_);
}

struct Gate::State {
  std::mutex mutex{};
  std::condition_variable changed{};
  bool opened = false;
  bool gave_up = false;

  // Runs in a thread of the runtime, which holds its own reference to the state.
  static void hold(void* given) {
    const std::unique_ptr<std::shared_ptr<State>> share(static_cast<std::shared_ptr<State>*>(given));
    State& state = **share;
    std::unique_lock lock(state.mutex);
    state.gave_up = !state.changed.wait_for(lock, std::chrono::seconds(10), [&] { return state.opened; });
  }
};
Gate::Gate(const Stream& stream) : state_(std::make_shared<State>()) {
  auto share = std::make_unique<std::shared_ptr<State>>(state_);
#ifdef BANZUKE_HIP
  // ROCm 5 declares hipLaunchHostFunc but its libraries lack it.
  const auto hold = [](hipStream_t, hipError_t, void* given) { State::hold(given); };
  check(hipStreamAddCallback(as_native(stream), hold, share.get(), 0), "hold a stream back");
#else
  check(cudaLaunchHostFunc(as_native(stream), State::hold, share.get()), "hold a stream back");
#endif
  [[maybe_unused]] const auto* const taken = share.release();  // now owned by the callback
}
Gate::~Gate() { open(); }
bool Gate::open() {
  const std::scoped_lock lock(state_->mutex);
  state_->opened = true;
  state_->changed.notify_all();
  return !state_->gave_up;
}

namespace detail {

void* allocate(Space space, std::size_t bytes) {
  void* start = nullptr;
  if (bytes == 0) return start;
  if (space == Space::host) return ::operator new(bytes, std::align_val_t{64});
#ifdef BANZUKE_HIP
  const auto status = space == Space::device ? hipMalloc(&start, bytes) : hipHostMalloc(&start, bytes, 0);
#else
  const auto status = space == Space::device ? cudaMalloc(&start, bytes) : cudaMallocHost(&start, bytes);
#endif
  if (status == GPU(ErrorMemoryAllocation) && space == Space::device) {
    (void)GPU(GetLastError)();
    std::size_t free = 0;
    std::size_t total = 0;
    (void)GPU(MemGetInfo)(&free, &total);
    throw Error("out of memory on " + current_name() + ": " + std::to_string(bytes) + " bytes were asked for, " +
                std::to_string(free) + " of " + std::to_string(total) + " are free");
  }
  check(status, "allocate " + std::to_string(bytes) + " bytes" + (space == Space::pinned ? " of pinned memory" : ""));
  return start;
}

void release(Space space, void* start) noexcept {
  if (start == nullptr) return;
  switch (space) {
    case Space::host:
      return ::operator delete(start, std::align_val_t{64});
    case Space::pinned:
#ifdef BANZUKE_HIP
      (void)hipHostFree(start);
#else
      (void)cudaFreeHost(start);
#endif
      return;
    case Space::device:
      (void)GPU(Free)(start);
  }
}

void copy(void* to, const void* from, std::size_t bytes, const Stream& stream, Caller where) {
  if (bytes == 0) return;
  check(GPU(MemcpyAsync)(to, from, bytes, GPU(MemcpyDefault), as_native(stream)),
        "copy " + std::to_string(bytes) + " bytes", where);
}

void set(void* to, int byte, std::size_t bytes, const Stream& stream) {
  if (bytes == 0) return;
  check(GPU(MemsetAsync)(to, byte, bytes, as_native(stream)), "set " + std::to_string(bytes) + " bytes");
}

void launched(const Stream&, Caller where) { check(GPU(GetLastError)(), "launch a kernel", where); }

}  // namespace detail
}  // namespace banzuke::gpu
