// The loops of every instruction set that this processor runs, and whether their checks detect errors.
#include <gtest/gtest.h>

#include <cmath>
#include <new>
#include <vector>

#include "streams.hpp"

namespace banzuke::memory {
namespace {

constexpr std::array loops{Loop::load, Loop::store, Loop::copy, Loop::triad};

class Memory {
 public:
  explicit Memory(Loop loop, std::int64_t size) : data_(static_cast<std::size_t>(reserved(loop, size)) / 64 + 1) {}
  double* start() { return data_.front().elements; }

 private:
  struct alignas(64) Line {
    double elements[8];
  };
  std::vector<Line> data_;
};

TEST(Streams, LeaveWhatTheLoopsSayWithEveryInstructionSet) {
  for (const Kernels* kernels : all_kernels()) {
    for (const Loop loop : loops) {
      for (const std::int64_t size : {1536, 4096, 6144, 65536 + 24}) {
        Memory memory(loop, size);
        Streams streams(*kernels, loop, memory.start(), size);
        streams.run(1);
        EXPECT_EQ(streams.wrong(), 0) << kernels->name << ' ' << static_cast<int>(loop) << ' ' << size;
        streams.run(4);
        streams.run(7);
        EXPECT_EQ(streams.wrong(), 0) << kernels->name << ' ' << static_cast<int>(loop) << ' ' << size;
      }
    }
  }
}

TEST(Streams, AreOfTheInstructionSetThatIsAskedFor) {
  EXPECT_EQ(kernels_named("widest"), all_kernels().front());
  EXPECT_EQ(kernels_named("plain"), all_kernels().back());
  EXPECT_EQ(kernels_named("none"), nullptr);
  std::size_t named = 0;
  for (const auto name : isa_names) named += name != "widest" && kernels_named(name) != nullptr ? 1U : 0U;
  EXPECT_EQ(named, all_kernels().size());
}

TEST(Streams, AreExactAlsoAfterMillionsOfPasses) {
  for (const Loop loop : loops) {
    Memory memory(loop, 1536);
    Streams streams(*all_kernels().front(), loop, memory.start(), 1536);
    streams.run(numbers + 12345);
    EXPECT_EQ(streams.wrong(), 0) << static_cast<int>(loop);
  }
}

// Kernels that leave out the last element, or a pass.
namespace broken {

std::uint64_t load(const double* a, std::size_t n, std::int64_t passes) {
  return all_kernels().back()->load(a, n, passes) - static_cast<std::uint64_t>(a[n - 1] != 0.0);
}
void store(double* a, std::size_t n, std::int64_t first, std::int64_t passes) {
  all_kernels().back()->store(a, n - grain, first, passes);
}
void copy(double* a, const double* b, std::size_t n, std::int64_t passes) {
  all_kernels().back()->copy(a, b, n - grain, passes);
}
void triad(double* a, const double* b, const double* c, std::size_t n, std::int64_t first, std::int64_t passes) {
  all_kernels().back()->triad(a, b, c, n - grain, first, passes);
}
std::uint64_t load_less(const double* a, std::size_t n, std::int64_t passes) {
  return all_kernels().back()->load(a, n, passes - 1);
}
void store_less(double* a, std::size_t n, std::int64_t first, std::int64_t passes) {
  all_kernels().back()->store(a, n, first, passes - 1);
}
void copy_nothing(double* /*a*/, const double* /*b*/, std::size_t /*n*/, std::int64_t /*passes*/) {}
void triad_less(double* a, const double* b, const double* c, std::size_t n, std::int64_t first, std::int64_t passes) {
  all_kernels().back()->triad(a, b, c, n, first, passes - 1);
}

constexpr Kernels shorter{"shorter", load, store, copy, triad};
constexpr Kernels fewer{"fewer", load_less, store_less, copy_nothing, triad_less};

}  // namespace broken

TEST(Wrong, SeesElementsAndPassesThatWereLeftOut) {
  for (const Loop loop : loops) {
    for (const Kernels* kernels : {&broken::shorter, &broken::fewer}) {
      Memory memory(loop, 4096);
      Streams streams(*kernels, loop, memory.start(), 4096);
      streams.run(3);
      EXPECT_GT(streams.wrong(), 0) << kernels->name << ' ' << static_cast<int>(loop);
    }
  }
}

TEST(Counted, IsWhatAPassReadsAndWrites) {
  EXPECT_EQ(counted(Loop::load, 4096), 4096);
  EXPECT_EQ(counted(Loop::copy, 4096), 4096);
  EXPECT_EQ(counted(Loop::triad, 4096), 3 * 1024);
  EXPECT_EQ(counted(Loop::triad, 3 * 512 * 7 + 511), 3 * 512 * 7);
}

TEST(LoopNamed, HasNoOther) { EXPECT_THROW(loop_named("scale"), std::invalid_argument); }

}  // namespace
}  // namespace banzuke::memory
