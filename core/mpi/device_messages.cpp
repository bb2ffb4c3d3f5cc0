#include "core/device_messages.hpp"

#include <dlfcn.h>
#include <mpi.h>

#include <array>

#include "core/application.hpp"

namespace banzuke {
namespace {

template <class Function>
Function* find(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

// Returns whether the library lists the kind of memory as supported, such as "mpi,system,cuda:device"; see MPI 4.1 and
// its side document on memory allocation kinds.
bool among_kinds(const std::string& kind) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Comm_get_info(MPI_COMM_WORLD, &info);
  std::array<char, 4096> value{};
  int found = 0;
  MPI_Info_get(info, "mpi_memory_alloc_kinds", static_cast<int>(value.size()) - 1, value.data(), &found);
  MPI_Info_free(&info);
  std::string kinds = ",";
  kinds += value.data();
  return found != 0 && kinds.find("," + kind) != std::string::npos;
}

enum class Answer { yes, no, unknown };

Answer ask(bool cuda) {
  if (among_kinds(cuda ? "cuda" : "rocm")) return Answer::yes;
  // The name in Open MPI, adopted by others.
  if (auto* query = find<int()>(cuda ? "MPIX_Query_cuda_support" : "MPIX_Query_rocm_support")) {
    return query() != 0 ? Answer::yes : Answer::no;
  }
  // MPICH: MPIX_GPU_SUPPORT_CUDA is 0, MPIX_GPU_SUPPORT_HIP 2.
  if (auto* query = find<int(int, int*)>("MPIX_GPU_query_support")) {
    int supported = 0;
    return query(cuda ? 0 : 2, &supported) == MPI_SUCCESS && supported != 0 ? Answer::yes : Answer::no;
  }
  return Answer::unknown;
}

}  // namespace

std::string no_device_messages(const std::string& platform) {
  if (platform == "emulated") return {};  // emulated device memory is host memory
  const Answer answer = ask(platform.starts_with("CUDA"));
  if (answer == Answer::yes) return {};
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  std::string library(text.data());
  library = library.substr(0, library.find('\n'));
  const std::string what = answer == Answer::no ? " says that it cannot be handed addresses of device memory"
                                                : " does not tell whether it can be handed addresses of device memory";
  return "this MPI library" + what + " (" + library + ")";
}

void require_device_messages(const std::string& platform, const std::string& option) {
  if (const std::string why = no_device_messages(platform); !why.empty()) {
    throw Unsupported(option + " is not available with this MPI: " + why);
  }
}

}  // namespace banzuke
