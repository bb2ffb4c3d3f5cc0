// The single folder that a storage benchmark makes below the given folder; it writes nothing outside it. It is removed
// however the program ends, except by SIGKILL; then the next run removes it, by its mark.
//
// All access is relative to directory descriptors, and symbolic links below the given folder are never followed. Only
// folders and regular files whose names begin with `made_prefix` are removed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/communicator.hpp"
#include "core/storage/descriptor.hpp"
#include "core/storage/interruption.hpp"

namespace banzuke {

// Required prefix of all names in a work folder.
inline constexpr std::string_view made_prefix = "bz.";

// A folder's mark: who made it.
struct Mark {
  std::string program;  // "banzuke-ior"
  std::string host;
  std::string machine;        // /etc/machine-id; empty: there is none
  std::string boot;           // the kernel's boot id
  std::string pid_namespace;  // process numbers are unique only within it
  std::int64_t process = 0;
  std::int64_t began = 0;  // clock ticks after the boot

  static Mark of_this_process(std::string program);
  std::string text() const;
  static std::optional<Mark> read(const std::string& text);  // none if it is not one of our marks
};

// Returns why a folder with this mark must stay: its process exists, or cannot be checked from here. Empty if the
// process is gone.
std::string still_owned(const Mark& mark, const Mark& here);

class WorkFolder {
 public:
  // Removes what earlier runs left in `folder`, then makes `.banzuke-NAME-<random>` there; one on each host if hosts do
  // not share the folder. Collective; throws a CommonFailure.
  WorkFolder(const std::string& folder, const std::string& name, const Communicator& ranks);

  int descriptor() const { return inside_.get(); }
  const std::string& path() const { return path_; }  // for libraries that take no descriptor
  // Returns whether the ranks of all hosts see the same folder.
  bool common() const { return common_; }
  // Folders of earlier runs that remain, each with the reason; as rank 0 sees them.
  const std::vector<std::string>& left() const { return left_; }

  // Removes the folder, or reports that it cannot. Collective. Without this call, the destructor removes it.
  void remove(const Communicator& ranks);

 private:
  // A folder that this rank made; removed by the destructor.
  class Made {
   public:
    Made(int folder, std::string name) : folder_(folder), name_(std::move(name)) {}
    ~Made();
    Made(const Made&) = delete;
    Made& operator=(const Made&) = delete;

    void remove();  // reports what remains

   private:
    int folder_;
    std::string name_;
  };

  // Makes the folder; returns false if the name exists already.
  bool make(const std::string& name, const Mark& mark);

  Interruption interruption_;
  Descriptor folder_;
  std::string path_;
  std::vector<std::string> left_;
  std::optional<Made> made_;
  Descriptor inside_;
  bool common_ = true;
};

// Removes the work folder `name` in `folder`, with everything in it that bears our prefix. Returns what is left and
// why; empty if it is gone.
std::string remove_work_folder(int folder, const std::string& name);

// Removes from `folder` the work folders of this user's programs that no longer run. Returns those that remain, each
// with the reason.
std::vector<std::string> clear_work_folders(int folder);

}  // namespace banzuke
