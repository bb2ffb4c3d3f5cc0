// Code shared by calls to the vendors' sparse-matrix libraries.
#pragma once

#include <type_traits>

#include "core/gpu/library.hpp"

namespace banzuke::gpu::sparse_calls {

// As in their headers, handles and descriptors are pointers, and all options are integers.
using Handle = void*;
using Descriptor = void*;
using Destroy = int(Descriptor);

inline constexpr double one = 1.0;
inline constexpr double zero = 0.0;

// A library descriptor of a matrix or vector.
class Described {
 public:
  template <class... Parameters, class... Arguments>
  Described(const char* name, int (*make)(Descriptor*, Parameters...), Destroy* destroy, Arguments... arguments)
      : destroy_(destroy) {
    called(make(&descriptor_, arguments...), name);
  }
  ~Described() { destroy_(descriptor_); }
  Described(const Described&) = delete;
  Described& operator=(const Described&) = delete;

  Descriptor get() const { return descriptor_; }

 private:
  Destroy* destroy_;
  Descriptor descriptor_ = nullptr;
};

// Tells whether two functions have the same calling convention if enumerations are passed as int and handles as
// pointers.
template <class T>
using Passed = std::conditional_t<std::is_pointer_v<T>, void*, std::conditional_t<std::is_enum_v<T>, int, T>>;
template <class Function>
struct Passing;
template <class Value, class... Parameters>
struct Passing<Value(Parameters...)> {
  using Type = Passed<Value>(Passed<Parameters>...);
};
template <class A, class B>
inline constexpr bool called_alike = std::is_same_v<typename Passing<A>::Type, typename Passing<B>::Type>;

}  // namespace banzuke::gpu::sparse_calls
