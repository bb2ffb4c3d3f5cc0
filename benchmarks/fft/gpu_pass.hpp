// A pass over an array in device memory: transforms of one length, several in each thread block. Each thread holds some
// numbers in registers; between butterflies they are exchanged through shared memory.
// NOLINTBEGIN(modernize-avoid-c-arrays)
#pragma once

#include <cstdint>

#include "core/gpu/kernel.hpp"
#include "gpu_butterflies.hpp"
#include "gpu_launches.hpp"

#if !BANZUKE_ON_GPU
#include "core/fft/roots.hpp"
#endif

namespace banzuke::fft {

// Whether neighbouring threads of a block access neighbouring numbers of one transform or neighbouring columns.
enum class Neighbours { numbers, columns };

// How a kernel reads and writes.
struct Way {
  Neighbours in = Neighbours::columns;
  Neighbours out = Neighbours::columns;
  bool turned = false;    // as in DevicePass
  bool computed = false;  // as in DevicePass
};

// exp(-2 pi i e / n) as the product of two table entries, for 0 <= e < n.
struct RootTables {
  gpu::Elements<const Number> coarse, fine;
  int shift = 0;

  BANZUKE_GPU Number operator()(std::int64_t e) const {
    const std::int64_t mask = (std::int64_t{1} << shift) - 1;
    return coarse[e >> shift] * fine[e & mask];
  }
};

// exp(-2 pi i e / n) for 0 <= e < n; `angle` = 2 / n, where n is a power of two, so that the product is exact.
BANZUKE_GPU inline Number computed_root(std::int64_t e, double angle) {
#if BANZUKE_ON_GPU
  double sine;
  double cosine;
  sincospi(static_cast<double>(e) * angle, &sine, &cosine);
  return {cosine, -sine};
#else
  const Complex found = root(e, static_cast<std::int64_t>(2.0 / angle));
  return {found.re, found.im};
#endif
}

// Data that are read or written only once bypass the cache, to leave it to the tables.
BANZUKE_GPU inline Number read(const Number& from) {
#if defined(__CUDACC__)
  const double2 both = __ldcs(reinterpret_cast<const double2*>(&from));
  return {both.x, both.y};
#else
  return from;
#endif
}
BANZUKE_GPU inline void write(Number& to, Number value) {
#if defined(__CUDACC__)
  __stcs(reinterpret_cast<double2*>(&to), make_double2(value.re, value.im));
#else
  to = value;
#endif
}

// Returns one of several numbers; an array cannot be used, because hipcc 5.2 does not treat one as a constant in a
// kernel.
template <int index, int First, int... Rest>
constexpr int number_of() {
  if constexpr (index == 0) {
    return First;
  } else {
    return number_of<index - 1, Rest...>();
  }
}

// `Columns` transforms in a block, `Each` numbers in a thread, butterflies of these radices; a multiprocessor should
// hold `Resident` blocks at once.
template <int Columns, int Each, int Resident, Way way, int... Radices>
struct Pass {
  static constexpr int length = (Radices * ...);
  static constexpr int columns = Columns;
  static constexpr int stages = sizeof...(Radices);
  static constexpr int first_radix = number_of<0, Radices...>();
  static constexpr int threads_each = length / Each;  // of a column
  static constexpr int threads = threads_each * Columns;
  static constexpr int resident = Resident * threads;

  // Columns are padded in shared memory so that neighbours within and across columns avoid bank conflicts.
  static constexpr int banks = 8;  // of a number each
  static constexpr int padded = length + length / first_radix;
  static constexpr int apart = banks / (Columns < banks ? Columns : banks) % banks;
  static constexpr int pitch = padded + (apart - padded % banks + banks) % banks;
  struct Shared {
    Number numbers[Columns * pitch];
  };

  Layout in_layout, out_layout;
  std::int64_t groups = 1;       // of columns, for each outer index
  std::int64_t all_columns = 1;  // for each outer index: the last group may have fewer
  gpu::Elements<const Number> in;
  gpu::Elements<Number> out;
  gpu::Elements<const Number> factors;  // stage by stage: [p - 1][j]
  RootTables roots;                     // of length x columns numbers, if outputs are turned
  double angle = 0.0;                   // 2 / (length x columns), for roots that are computed

  BANZUKE_GPU void operator()(const gpu::Block<threads>& block, Shared& shared) const {
    Kept kept;
    stage<0, 1>(block, shared, kept);
  }

 private:
  static constexpr int butterflies(int radix) { return (length / radix + threads_each - 1) / threads_each; }
  static constexpr int most() {
    int found = 0;
    for (const int radix : {Radices...})
      found = found < radix * butterflies(radix) ? radix * butterflies(radix) : found;
    return found;
  }
  static constexpr int common = 4;
  struct Numbers {
    Number x[most()];
  };
  using Kept = gpu::Private<Numbers, threads>;

  static constexpr Neighbours neighbours(int stage) {
    // Not by ?:, for which nvcc 12.4 takes a member of the parameter for another type than the constant.
    if (stage == 0) return way.in;
    if (stage == stages - 1) return way.out;
    return Neighbours::columns;
  }
  // A thread's column, and its position among that column's threads.
  template <Neighbours which>
  BANZUKE_GPU static int column_of(int thread) {
    return which == Neighbours::columns ? thread % Columns : thread / threads_each;
  }
  template <Neighbours which>
  BANZUKE_GPU static int place_of(int thread) {
    return which == Neighbours::columns ? thread / Columns : thread % threads_each;
  }
  BANZUKE_GPU static int at(int column, int j) { return column * pitch + j + j / first_radix; }

  // Does stage `index` and all later ones; butterflies of `done` numbers are already done.
  template <int index, int done>
  BANZUKE_GPU void stage(const gpu::Block<threads>& block, Shared& shared, Kept& kept) const {
    constexpr int radix = number_of<index, Radices...>();
    constexpr Neighbours which = neighbours(index);
    constexpr bool last = index == stages - 1;
    block.each([&](int thread) {
      Number* x = kept[thread].x;
      const int column = column_of<which>(thread);
      take<index>(block.index(), column, place_of<which>(thread), shared, x);
      Number within[common]{};  // NOLINT(misc-const-correctness): of the last stage
      if constexpr (last && way.turned) {
        const std::int64_t c = block.index() % groups * Columns + column;
        BANZUKE_UNROLL
        for (int p = 1; p < (common < radix ? common : radix) && c < all_columns; ++p) {
          within[p] = way.computed && p > 1 ? within[p - 1] * within[1] : root_of(c * p * (length / radix));
        }
      }
      BANZUKE_UNROLL
      for (int b = 0; b < butterflies(radix); ++b) {
        const int j = place_of<which>(thread) + b * threads_each;
        if (beyond<radix>(j)) continue;
        if constexpr (index > 0) turn_inputs<index, done>(j, x + b * radix);
        Butterfly<radix>::run(x + b * radix);
        if constexpr (last) put(block.index(), column, j, within, x + b * radix);
        if constexpr (index == 0 && !last) give<radix, done>(column, j, x + b * radix, shared);
      }
    });
    if constexpr (index > 0 && !last) {
      block.each([&](int thread) {
        BANZUKE_UNROLL
        for (int b = 0; b < butterflies(radix); ++b) {
          const int j = place_of<which>(thread) + b * threads_each;
          if (beyond<radix>(j)) continue;
          give<radix, done>(column_of<which>(thread), j, kept[thread].x + b * radix, shared);
        }
      });
    }
    if constexpr (!last) stage<index + 1, done * radix>(block, shared, kept);
  }

  template <int radix>
  BANZUKE_GPU static bool beyond(int j) {
    return length / radix % threads_each != 0 && j >= length / radix;
  }

  // Loads all inputs of a thread's butterflies, from memory or from shared memory.
  template <int index>
  BANZUKE_GPU void take(std::int64_t block, int column, int place, const Shared& shared, Number* x) const {
    constexpr int radix = number_of<index, Radices...>();
    const std::int64_t c = block % groups * Columns + column;
    const std::int64_t first = in_layout.base + block / groups * in_layout.outer + c * in_layout.column;
    if (index == 0 && c >= all_columns) return;
    BANZUKE_UNROLL
    for (int b = 0; b < butterflies(radix); ++b) {
      const int j = place + b * threads_each;
      if (beyond<radix>(j)) continue;
      BANZUKE_UNROLL
      for (int q = 0; q < radix; ++q) {
        const int from = j + q * (length / radix);
        x[b * radix + q] = index == 0 ? read(in[first + from * in_layout.step]) : shared.numbers[at(column, from)];
      }
    }
  }

  template <int radix, int done>
  BANZUKE_GPU static void give(int column, int j, const Number* x, Shared& shared) {
    const int first = j / done * (done * radix) + j % done;
    BANZUKE_UNROLL
    for (int p = 0; p < radix; ++p) shared.numbers[at(column, first + p * done)] = x[p];
  }

  // Multiplies the inputs by this stage's (radix - 1) done factors. They follow the done - first_radix factors of the
  // earlier stages, of which the first has none.
  template <int index, int done>
  BANZUKE_GPU void turn_inputs(int j, Number* x) const {
    constexpr int radix = number_of<index, Radices...>();
    BANZUKE_UNROLL
    for (int q = 1; q < radix; ++q) {
      x[q] = x[q] * factors[done - first_radix + (q - 1) * done + j % done];
    }
  }

  // Stores the outputs of the last stage's butterfly j: output p is number j + p length / radix.
  BANZUKE_GPU void put(std::int64_t block, int column, int j, const Number* within, Number* x) const {
    constexpr int radix = number_of<stages - 1, Radices...>();
    constexpr int distance = length / radix;
    const std::int64_t c = block % groups * Columns + column;
    if (c >= all_columns) return;
    if constexpr (way.turned) turn_outputs(c, j, within, x);
    const std::int64_t first = out_layout.base + block / groups * out_layout.outer + c * out_layout.column;
    BANZUKE_UNROLL
    for (int p = 0; p < radix; ++p) write(out[first + (j + p * distance) * out_layout.step], x[p]);
  }

  // exp(-2 pi i e / n), where n = length x columns.
  BANZUKE_GPU Number root_of(std::int64_t e) const {
    if constexpr (way.computed) {
      return computed_root(e, angle);
    } else {
      return roots(e);
    }
  }

  // Multiplies output k by exp(-2 pi i c k / n): the product of a root for each group of four outputs, and one of four
  // roots, `within`, common to all groups.
  BANZUKE_GPU void turn_outputs(std::int64_t c, int j, const Number* within, Number* x) const {
    constexpr int radix = number_of<stages - 1, Radices...>();
    constexpr int distance = length / radix;
    BANZUKE_UNROLL
    for (int p = 0; p < radix; p += common) {
      const Number first = root_of(c * (j + p * distance));
      x[p] = x[p] * first;
      BANZUKE_UNROLL
      for (int q = 1; q < common && p + q < radix; ++q) x[p + q] = x[p + q] * (first * within[q]);
    }
  }
};

}  // namespace banzuke::fft
// NOLINTEND(modernize-avoid-c-arrays)
