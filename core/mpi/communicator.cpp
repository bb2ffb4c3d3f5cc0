#include "core/communicator.hpp"

#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <limits>
#include <numeric>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "core/mpi/version_text.hpp"

namespace banzuke {
namespace {

struct Rank {
  std::uint64_t kernel = 0;  // a hash of its name
  std::uint64_t host = 0;    // likewise
  std::uint64_t group = 0;
};

// Returns the lower ranks under the same kernel. MPI decides by host names which ranks share a host, but these differ
// between containers. A colour has few bits, so kernels may share one; the full hash tells them apart.
std::vector<Rank> before(int rank, const Rank& own) {
  MPI_Comm same_colour = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, static_cast<int>(own.kernel >> 33U), rank, &same_colour);
  int position = 0;
  int members = 0;
  MPI_Comm_rank(same_colour, &position);
  MPI_Comm_size(same_colour, &members);
  std::vector<Rank> ranks(static_cast<std::size_t>(members));
  MPI_Allgather(&own, 3, MPI_UINT64_T, ranks.data(), 3, MPI_UINT64_T, same_colour);
  MPI_Comm_free(&same_colour);
  ranks.resize(static_cast<std::size_t>(position));
  std::erase_if(ranks, [&](const Rank& other) { return other.kernel != own.kernel; });
  return ranks;
}

}  // namespace

Communicator::Communicator(int& argc, char**& argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  // The program's number in a command that starts several; launchers may omit it for a single program.
  const int* number = nullptr;
  int known = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, static_cast<void*>(&number), &known);
  if (known != 0) group_ = *number;
  // Launchers of batch systems number no programs; the command then says it.
  if (const char* text = std::getenv("BANZUKE_GROUP")) {
    std::from_chars(text, text + std::string_view(text).size(), group_);
  }
  const std::hash<std::string> hash;
  const Rank own{.kernel = hash(kernel()), .host = hash(host()), .group = static_cast<std::uint64_t>(group_)};
  auto others = before(rank_, own);
  local_rank_ = static_cast<int>(others.size());
  std::erase_if(others, [&](const Rank& other) { return other.group != own.group; });
  local_rank_in_group_ = static_cast<int>(others.size());
  host_rank_in_group_ = static_cast<int>(std::ranges::count(others, own.host, &Rank::host));
}

Communicator::~Communicator() { MPI_Finalize(); }

void Communicator::barrier() const { MPI_Barrier(MPI_COMM_WORLD); }

void Communicator::maximum(std::span<double> values) const {
  for (double& value : values) {
    if (std::isnan(value)) value = std::numeric_limits<double>::infinity();
  }
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

void Communicator::sum(std::span<double> values) const {
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

std::vector<std::string> Communicator::gather(const std::string& text) const {
  const int length = static_cast<int>(text.size());
  const auto ranks = static_cast<std::size_t>(rank_ == 0 ? size_ : 0);
  std::vector<int> lengths(ranks);
  MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  std::vector<int> offsets(ranks);
  std::exclusive_scan(lengths.begin(), lengths.end(), offsets.begin(), 0);
  std::string all(static_cast<std::size_t>(std::accumulate(lengths.begin(), lengths.end(), 0)), '\0');
  MPI_Gatherv(text.data(), length, MPI_CHAR, all.data(), lengths.data(), offsets.data(), MPI_CHAR, 0, MPI_COMM_WORLD);
  std::vector<std::string> texts;
  texts.reserve(ranks);
  for (std::size_t i = 0; i < ranks; ++i) {
    texts.push_back(all.substr(static_cast<std::size_t>(offsets[i]), static_cast<std::size_t>(lengths[i])));
  }
  return texts;
}

void Communicator::abort(int status) const {
  // Launchers end without passing on what a rank has just said: of MPICH 5's, 4 in 100 did.
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  MPI_Abort(MPI_COMM_WORLD, status);
  std::_Exit(status);
}

std::string Communicator::library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  return version_text({text.data(), static_cast<std::size_t>(length)});
}

// Asks the loader, because a program and its library may have been moved together. Looks for a PMPI_ function, because
// tools wrap only MPI_ ones.
std::string Communicator::library_file() {
  Dl_info found{};
  if (dladdr(dlsym(RTLD_DEFAULT, "PMPI_Get_library_version"), &found) == 0) return "unknown";
  std::error_code error;
  const auto file = std::filesystem::canonical(found.dli_fname, error);
  return error ? found.dli_fname : file.string();
}

// Libraries derived from MPICH define its version, too.
std::string_view Communicator::implementation() {
#if defined(OPEN_MPI)
  return "openmpi";
#elif defined(I_MPI_VERSION)
  return "intel";
#elif defined(CRAY_MPICH_VERSION)
  return "cray";
#elif defined(MVAPICH2_VERSION) || defined(MVAPICH_VERSION)
  return "mvapich";
#elif defined(MPICH_VERSION)
  return "mpich";
#else
  return "other";
#endif
}

std::string Communicator::host() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  MPI_Get_processor_name(name.data(), &length);
  return {name.data(), static_cast<std::size_t>(length)};
}

}  // namespace banzuke
