#include <omp.h>

#include "cached.hpp"
#include "core/fft/batch.hpp"
#include "core/fft/testing.hpp"
#include "core/testing.hpp"

namespace banzuke::fft {
namespace {

TEST(Cached, TransformsAreTheDefinitions) {
  for (const Kernels* kernels : available_kernels()) {
    for (const Split lengths : {Split{1, 2}, Split{3, 5}, Split{64, 72}, Split{512, 1000}}) {
      omp_set_num_threads(2);
      const Cached cached = cached_transforms(lengths, 3, alone(), *kernels);
      EXPECT_LE(cached.error, 2.0) << kernels->name << ", " << lengths.n1 << " and " << lengths.n2;
      EXPECT_EQ(cached.seconds.size(), 3U);
      for (const double seconds : cached.seconds) EXPECT_GT(seconds, 0.0);
    }
  }
}

void nothing(const Stage* /*stages*/, int /*count*/, Lanes* /*x*/) {}
void first_stage(const Stage* stages, int /*count*/, Lanes* x) { kernels().transform(stages, 1, x); }

TEST(Cached, SeesTransformsThatAreLeftOutOrIncomplete) {
  for (auto* const wrong : {nothing, first_stage}) {
    Kernels broken = kernels();
    broken.transform = wrong;
    EXPECT_GT(cached_transforms({512, 512}, 1, alone(), broken).error, 1e6 * cached_tolerance);
  }
}

}  // namespace
}  // namespace banzuke::fft
