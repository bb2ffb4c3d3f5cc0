#include "core/testing.hpp"
#include "lu.hpp"
#include "test_library.hpp"
#include "testing.hpp"

namespace banzuke::hpl {
namespace {

TEST_F(Library, NeedsTheMemoryThatItAnnounces) {
  constexpr std::int64_t n = 10000;
  constexpr std::int64_t nb = 128;
  const Params params{.n = n, .nb = nb};
  const Lu first({.n = 1}, alone(), places());  // the library has its own buffers from now on
  const double before = mapped_bytes();
  const Lu lu(params, alone(), places());
  const double used = mapped_bytes() - before;
  EXPECT_LE(used, footprint(params) + mapped_slack);
  EXPECT_GE(used, 0.98 * footprint(params));
  EXPECT_LE(footprint(params), 1.1 * 8 * n * n + 2 * 8 * nb * (n + nb));
}

}  // namespace
}  // namespace banzuke::hpl
