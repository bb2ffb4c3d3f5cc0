// What instruction sets this processor runs, asked at run time, so that one build serves every node.
#pragma once

namespace banzuke {

enum class Isa { plain, avx2, avx512, neon, sve };

// True when both the processor and the operating system support it.
bool runs(Isa isa);

}  // namespace banzuke
