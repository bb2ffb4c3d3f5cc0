// Devices used through directives, with a stand-in for NVIDIA's driver and, in this file, one for the model's runtime.

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <string_view>

#include "core/devices.hpp"
#include "core/gpu/choose.hpp"
#include "core/gpu/directives/model.hpp"
#include "core/gpu/library.hpp"
#include "core/gpu/timing.hpp"

namespace banzuke::gpu {
namespace {

struct Model {
  int devices = 2;
  int used = -1;
  bool on_host = false;
  bool full = false;
  bool broken = false;
};
Model model;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): the runtime's state

}  // namespace

namespace directives {

const char* model() { return "a model"; }
const char* compiler() { return "1.0"; }
int devices() { return gpu::model.devices; }
void use(int number) { gpu::model.used = number; }
bool on_host() { return gpu::model.on_host; }
void* allocate(std::size_t bytes) { return gpu::model.full ? nullptr : std::malloc(bytes); }
void release(void* start) { std::free(start); }
bool to_device(void* to, const void* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
  return !gpu::model.broken;
}
bool to_host(void* to, const void* from, std::size_t bytes) { return to_device(to, from, bytes); }

}  // namespace directives

namespace {

constexpr std::string_view first = "GPU-00000000-0000-0000-0000-000000000000";
constexpr std::string_view second = "GPU-00000000-0000-0000-0000-000000000001";

class Directives : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("BANZUKE_LIBCUDA", BANZUKE_CUDA_STAND_IN, 1);
    with({{"DEVICES", "2"}, {"OWNER", "0"}});
    model = {};
  }
  void TearDown() override {
    for (const auto* name : {"DEVICES", "MIG", "INIT", "OWNER"})
      unsetenv((std::string("BANZUKE_CUDA_") + name).c_str());
    unsetenv("CUDA_VISIBLE_DEVICES");
    give_devices({});
  }

  static void with(const std::map<std::string, std::string>& variables) {
    for (const auto& [name, value] : variables) setenv(("BANZUKE_CUDA_" + name).c_str(), value.c_str(), 1);
  }
  static std::string refusal() {
    try {
      use_given();
    } catch (const NoDeviceError& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(Directives, AreDoneOnTheDeviceThatIsNamed) {
  with({{"OWNER", "1"}});
  give_devices({.identities = {std::string(second)}});
  const DeviceInfo device = use_given();
  EXPECT_EQ(device.identity, second);
  EXPECT_EQ(device.number, 1);
  EXPECT_EQ(device.bus, "0000:a1:00.0");
  EXPECT_EQ(device.multiprocessors, 16);
  EXPECT_EQ(device.l2_cache, 38U);
  EXPECT_EQ(device.architecture, "sm_7576");
  EXPECT_EQ(model.used, 1);
  EXPECT_EQ(used_devices().back(), second);
  EXPECT_EQ(platform(), "a model, compiler 1.0, driver for CUDA 13.0");
}

TEST_F(Directives, TakeASliceByItsIdentity) {
  with({{"MIG", "1"}});
  const std::string slice = "MIG-00000000-0000-0000-0000-000000000000";
  give_devices({.identities = {slice}});
  EXPECT_EQ(use_given().identity, slice);
  EXPECT_STREQ(std::getenv("CUDA_VISIBLE_DEVICES"), slice.c_str());
}

TEST_F(Directives, GiveNoFigureOfTheProcessor) {
  model.on_host = true;
  EXPECT_NE(
      refusal().find("regions of a model run on the processor and not on NVIDIA Stand-in (" + std::string(first) + ")"),
      std::string::npos)
      << refusal();
}

TEST_F(Directives, NameThePluginThatIsMissing) {
  model.devices = 0;
  EXPECT_NE(refusal().find("sees 0 devices"), std::string::npos) << refusal();
  EXPECT_NE(refusal().find("libgomp-plugin-nvptx1"), std::string::npos) << refusal();
  EXPECT_EQ(model.used, -1);
}

TEST_F(Directives, SeeThatTheRuntimeUsesAnotherDevice) {
  with({{"OWNER", "1"}});
  EXPECT_NE(
      refusal().find("is that of " + std::string(second) + " and not of NVIDIA Stand-in (" + std::string(first) + ")"),
      std::string::npos)
      << refusal();
  unsetenv("BANZUKE_CUDA_OWNER");
  EXPECT_NE(refusal().find("is that of the processors"), std::string::npos) << refusal();
}

TEST_F(Directives, SayWhatTheDriverSays) {
  with({{"INIT", "999"}});
  EXPECT_EQ(refusal(), "cannot start NVIDIA's driver: CUDA_ERROR_STAND_IN");
  with({{"INIT", "0"}, {"DEVICES", "0"}});
  EXPECT_EQ(refusal(), "there is no device that this process may see");
}

TEST_F(Directives, SayWhatWasAskedOfAMemoryThatIsFull) {
  use_given();
  model.full = true;
  try {
    const DeviceBuffer<double> large(1000);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("8000 bytes were asked for, 1073741824 are there"), std::string::npos);
  }
}

TEST_F(Directives, CopyAndSayWhereThatFailed) {
  use_given();
  const Stream stream;
  DeviceBuffer<double> there(3);
  const std::vector<double> here{1.0, 2.0, 3.0};
  upload(there, std::span<const double>(here), stream);
  std::vector<double> back(3);
  unsetenv("BANZUKE_CUDA_OWNER");
  download(std::span<double>(back), there, stream);
  EXPECT_EQ(back, here);
  model.broken = true;
  try {
    download(std::span<double>(back), there, stream);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("cannot copy 24 bytes from NVIDIA Stand-in (at"), std::string::npos)
        << error.what();
  }
}

TEST_F(Directives, AreTimedByTheHostsClockAlone) {
  const Stream stream;
  const Timer timer(stream);
  timer.start();
  const double passed = timer.stop();
  EXPECT_GE(passed, 0.0);
  EXPECT_LT(passed, 1.0);
  EXPECT_TRUE(clock_checks(stream).empty());
}

TEST(Libraries, StayLoaded) {
  const std::string copy = ::testing::TempDir() + "library-that-stays.so";
  std::filesystem::copy_file(BANZUKE_CUDA_STAND_IN, copy, std::filesystem::copy_options::overwrite_existing);
  {
    const Library once("BANZUKE_NO_LIBRARY", {copy.c_str()}, "Install it");
  }
  EXPECT_NE(dlopen(copy.c_str(), RTLD_LAZY | RTLD_NOLOAD), nullptr);
  std::filesystem::remove(copy);
}

}  // namespace
}  // namespace banzuke::gpu
