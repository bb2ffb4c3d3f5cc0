// Instruction sets that this processor supports, detected at run time, so that one build works on every node, and the
// choice among code that was compiled for each. Not for code that is itself compiled for one.
#pragma once

#include <array>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace banzuke {

// sve: with vectors of any length; sve128 and so on: of exactly so many bits.
enum class Isa { plain, avx2, avx512, neon, sve, sve128, sve256, sve512 };

// True when both the processor and the operating system support it.
bool runs(Isa isa);

// What was compiled for an instruction set: a table of choices lists those of the build, widest first.
template <class Compiled>
struct Choice {
  Isa isa;
  Compiled compiled;
};
template <class Compiled>
Choice(Isa, Compiled) -> Choice<Compiled>;

// Returns the choices for which `supported` holds, in the order of the table.
template <class Compiled, std::size_t size>
std::vector<Compiled> runnable(const std::array<Choice<Compiled>, size>& choices, bool (*supported)(Isa) = runs) {
  std::vector<Compiled> out;
  for (const auto& [isa, compiled] : choices) {
    if (supported(isa)) out.push_back(compiled);
  }
  return out;
}

// Returns the first of them. Throws std::logic_error if there is none: a table has code for every processor.
template <class Compiled, std::size_t size>
Compiled widest(const std::array<Choice<Compiled>, size>& choices, bool (*supported)(Isa) = runs) {
  for (const auto& [isa, compiled] : choices) {
    if (supported(isa)) return compiled;
  }
  throw std::logic_error("nothing was compiled for this processor");
}

}  // namespace banzuke
