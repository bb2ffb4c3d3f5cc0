// The one folder that a storage benchmark makes below the folder that it was given, and outside of which it writes
// nothing. It is removed however the program ends, short of SIGKILL; then the next run removes it, by its mark.
//
// Everything is reached relative to descriptors of directories, and symbolic links below the given folder are never
// followed. Only what has a name of ours is removed: folders and regular files that begin with `made_prefix`.
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

// With what the name of everything made in a work folder has to begin.
inline constexpr std::string_view made_prefix = "bz.";

// Who made a folder: what its mark says.
struct Mark {
  std::string program;  // "banzuke-ior"
  std::string host;
  std::string machine;        // /etc/machine-id; empty: there is none
  std::string boot;           // the kernel's, since it was started
  std::string pid_namespace;  // of process numbers: they are unique only in there
  std::int64_t process = 0;
  std::int64_t began = 0;  // clock ticks after the boot

  static Mark of_this_process(std::string program);
  std::string text() const;
  static std::optional<Mark> read(const std::string& text);  // none: it is no mark of ours
};

// Why a folder with this mark must stay: its process exists, or cannot be known from here; empty: it is gone.
std::string still_owned(const Mark& mark, const Mark& here);

class WorkFolder {
 public:
  // `.banzuke-NAME-<random>` in `folder`, after what is left there of earlier runs was removed. Where hosts do not
  // share the folder, one on each. Collective; throws a CommonFailure.
  WorkFolder(const std::string& folder, const std::string& name, const Communicator& ranks);

  int descriptor() const { return inside_.get(); }
  const std::string& path() const { return path_; }  // for libraries that take no descriptor
  // Whether the ranks of all hosts see the same one.
  bool common() const { return common_; }
  // Folders of earlier runs that stay, each with the reason; as rank 0 sees them.
  const std::vector<std::string>& left() const { return left_; }

  // Removes the folder and says so where it cannot. Collective. Otherwise it goes with the object.
  void remove(const Communicator& ranks);

 private:
  // One that this rank made; it goes with this object.
  class Made {
   public:
    Made(int folder, std::string name) : folder_(folder), name_(std::move(name)) {}
    ~Made();
    Made(const Made&) = delete;
    Made& operator=(const Made&) = delete;

    void remove();  // says where something stays

   private:
    int folder_;
    std::string name_;
  };

  // False: there is one of this name.
  bool make(const std::string& name, const Mark& mark);

  Interruption interruption_;
  Descriptor folder_;
  std::string path_;
  std::vector<std::string> left_;
  std::optional<Made> made_;
  Descriptor inside_;
  bool common_ = true;
};

// Removes `name` in `folder`, a work folder, with all that has a name of ours. Returns what is left and why; empty: it
// is gone.
std::string remove_work_folder(int folder, const std::string& name);

// Removes the work folders of programs of this user that are gone, in the folder `folder`. Returns those that stay,
// each with the reason.
std::vector<std::string> clear_work_folders(int folder);

}  // namespace banzuke
