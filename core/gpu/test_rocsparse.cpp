// Calls of rocSPARSE, tested with stand-ins for versions with and without stages: the emulated device's memory is the
// host's. Also whether this machine's library, if any, has the functions called.

#include "core/gpu/rocsparse.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <vector>

namespace banzuke::gpu {
namespace {

struct Version {
  const char* file;
  const char* name;
};

class RocSparse : public ::testing::TestWithParam<Version> {
 protected:
  void SetUp() override { setenv("BANZUKE_ROCSPARSE", GetParam().file, 1); }
  void TearDown() override {
    unsetenv("BANZUKE_ROCSPARSE");
    unsetenv("BANZUKE_ROCSPARSE_FAILS");
  }
};

template <class Function>
std::string failure(Function function) {
  try {
    function();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

template <class T>
DeviceBuffer<T> there(const std::vector<T>& values, const Stream& stream) {
  DeviceBuffer<T> buffer(values.size());
  upload<T>(buffer, values, stream);
  stream.wait();
  return buffer;
}

// Rows of two, none and three entries.
struct Example {
  Stream stream;
  DeviceBuffer<std::int32_t> start = there<std::int32_t>({0, 2, 2, 5}, stream);
  DeviceBuffer<std::int32_t> column = there<std::int32_t>({0, 3, 0, 1, 2}, stream);
  DeviceBuffer<double> value = there<double>({1, 2, 3, 4, 5}, stream);
  DeviceBuffer<double> x = there<double>({10, 20, 30, 40}, stream);
  DeviceBuffer<double> y = there<double>({std::nan(""), std::nan(""), std::nan("")}, stream);
  SparseCsr matrix{{3, 4, 5}, start.data(), column.data(), value.data()};

  std::vector<double> result() const {
    std::vector<double> out(3);
    download<double>(out, y, stream);
    return out;
  }
};

TEST_P(RocSparse, MultipliesByBothMethods) {
  for (const auto method : {CsrMethod::first, CsrMethod::second}) {
    Example example;
    const rocsparse::Opened opened(example.stream);
    EXPECT_EQ(opened.name(), GetParam().name);
    EXPECT_EQ(opened.path(), GetParam().file);
    const auto product = opened.prepare(example.matrix, method, example.x.data(), example.y.data());
    product->queue();
    product->queue();  // must not add to the first product
    EXPECT_EQ(example.result(), (std::vector<double>{90, 0, 260}));
  }
}

TEST_P(RocSparse, TwoProductsDoNotDisturbEachOther) {
  Example one;
  Example other;
  const rocsparse::Opened opened(one.stream);
  const auto first = opened.prepare(one.matrix, CsrMethod::first, one.x.data(), one.y.data());
  const auto second = opened.prepare(one.matrix, CsrMethod::second, one.x.data(), other.y.data());
  first->queue();
  second->queue();
  first->queue();
  EXPECT_EQ(one.result(), other.result());
}

TEST_P(RocSparse, SaysWhichFunctionFailed) {
  for (const auto* function : {"rocsparse_create_handle", "rocsparse_create_csr_descr", "rocsparse_spmv"}) {
    setenv("BANZUKE_ROCSPARSE_FAILS", function, 1);
    const auto text = failure([] {
      Example example;
      rocsparse::Opened(example.stream).prepare(example.matrix, CsrMethod::first, example.x.data(), example.y.data());
    });
    EXPECT_EQ(text, std::string(function) + " failed with status 1");
  }
}

TEST_P(RocSparse, HasNoSell) {
  Example example;
  const SparseSell sell{{3, 4, 5}, 32, 5, example.start.data(), example.column.data(), example.value.data()};
  const rocsparse::Opened opened(example.stream);
  EXPECT_NE(failure([&] { opened.prepare(sell, example.x.data(), example.y.data()); }), "");
}

INSTANTIATE_TEST_SUITE_P(Versions, RocSparse,
                         ::testing::Values(Version{BANZUKE_ROCSPARSE_STAND_IN_2, "rocSPARSE 2.3.3"},
                                           Version{BANZUKE_ROCSPARSE_STAND_IN_3, "rocSPARSE 3.0.2"}));

#ifndef __SANITIZE_ADDRESS__  // HIP's runtime, which an installed library loads, leaks
TEST(RocSparseHere, IsNotThereOrHasAllThatIsCalled) {
  bool found = false;
  const auto text = failure([&] {
    const Library library = rocsparse::library();
    found = true;
    const rocsparse::Functions all(library);
  });
  if (found) {
    EXPECT_EQ(text, "");
    return;
  }
  EXPECT_NE(text.find("cannot load librocsparse.so.1: "), std::string::npos) << text;
  EXPECT_NE(text.find("Install rocsparse"), std::string::npos) << text;
  EXPECT_NE(text.find("set BANZUKE_ROCSPARSE to the path of the library"), std::string::npos) << text;
}

// Uses this machine's library; it opens if there is an AMD device.
TEST(RocSparseHere, WithoutADeviceSaysSo) {
  const Stream stream;
  std::string name;
  const auto text = failure([&] { name = rocsparse::Opened(stream).name(); });
  if (text.empty()) {
    EXPECT_TRUE(name.starts_with("rocSPARSE ")) << name;
  } else {
    EXPECT_TRUE(text.starts_with("cannot load ") || text.starts_with("rocsparse_create_handle failed with status "))
        << text;
  }
}
#endif

TEST(RocSparseHere, AnotherLibraryIsRefused) {
  setenv("BANZUKE_ROCSPARSE", "libm.so.6", 1);
  const Stream stream;
  const auto text = failure([&] { rocsparse::Opened{stream}; });
  EXPECT_NE(text.find("has no rocsparse_create_handle: it is another version"), std::string::npos) << text;
  unsetenv("BANZUKE_ROCSPARSE");
}

}  // namespace
}  // namespace banzuke::gpu
