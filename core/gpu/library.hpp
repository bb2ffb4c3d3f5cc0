// A library loaded at run time, and its functions by name.
#pragma once

#include <initializer_list>
#include <string>

namespace banzuke::gpu {

class Library {
 public:
  // Loads the file that the variable names, else the first of these names that the loader finds; `package` says how to
  // install it. Throws Error.
  Library(const char* variable, std::initializer_list<const char*> names, const std::string& package);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  // Throws Error if the library lacks the function.
  template <class Function>
  Function* get(const char* name) const {
    return reinterpret_cast<Function*>(find(name));
  }
  const std::string& path() const { return path_; }

 private:
  void* find(const char* name) const;

  void* handle_ = nullptr;
  std::string path_;
};

// Throws Error if a function of such a library did not return 0.
void called(int status, const char* function);

}  // namespace banzuke::gpu
