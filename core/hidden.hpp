// An object whose type only the source file that creates it knows (pimpl). A class that holds its data in one needs no
// destructor and cannot be copied. Classes with a non-trivial destructor, such as SubCommunicator, keep a unique_ptr
// instead.
#pragma once

#include <memory>
#include <utility>

namespace banzuke {

template <class T>
struct DeleteHidden {
  void operator()(T* object) const { destroy(object); }
  void (*destroy)(T*) = nullptr;
};

template <class T>
using Hidden = std::unique_ptr<T, DeleteHidden<T>>;

template <class T, class... Arguments>
Hidden<T> make_hidden(Arguments&&... arguments) {
  return {std::make_unique<T>(std::forward<Arguments>(arguments)...).release(),
          {[](T* object) { std::default_delete<T>()(object); }}};
}

}  // namespace banzuke
