// Instruction sets that this processor supports, detected at run time, so that one build works on every node.
#pragma once

namespace banzuke {

enum class Isa { plain, avx2, avx512, neon, sve };

// True when both the processor and the operating system support it.
bool runs(Isa isa);

}  // namespace banzuke
