// Threads by NUMA node, from trees of files, and the pages of each node.
#include <gtest/gtest.h>
#include <omp.h>

#include <filesystem>
#include <fstream>

#include "core/array.hpp"
#include "core/memory.hpp"
#include "numa.hpp"

namespace banzuke::memory {
namespace {

// A folder of NUMA nodes as the kernel has them.
class Tree {
 public:
  Tree(const std::vector<std::pair<std::string, std::string>>& lists)
      : root_(std::filesystem::path(testing::TempDir()) / "nodes") {
    for (const auto& [name, list] : lists) {
      std::filesystem::create_directories(root_ / name);
      std::ofstream(root_ / name / "cpulist") << list << '\n';
    }
  }
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;
  ~Tree() { std::filesystem::remove_all(root_); }
  std::string root() const { return root_; }

 private:
  std::filesystem::path root_;
};

TEST(ProcessorNodes, AreThoseOfTheKernelsLists) {
  const Tree tree({{"node0", "0-1,4"}, {"node10", "2"}, {"node3", ""}, {"nodes", "7"}, {"power", "8"}});
  const std::map<int, int> nodes{{0, 0}, {1, 0}, {4, 0}, {2, 10}};
  EXPECT_EQ(processor_nodes(tree.root()), nodes);
  EXPECT_TRUE(processor_nodes(tree.root() + "/none").empty());
}

TEST(ThreadsByNode, AreInTheNodesOrder) {
  const auto by_node = threads_by_node({{4}, {2}, {0, 1}}, {{0, 0}, {1, 0}, {2, 10}, {4, 3}});
  ASSERT_EQ(by_node.size(), 3);
  EXPECT_EQ(by_node[0].node, 0);
  EXPECT_EQ(by_node[0].threads, std::vector<std::size_t>{2});
  EXPECT_EQ(by_node[1].node, 3);
  EXPECT_EQ(by_node[2].threads, std::vector<std::size_t>{1});
}

TEST(ThreadsByNode, RefusesAThreadOnSeveralNodesOrOnNone) {
  EXPECT_THROW(threads_by_node({{0, 2}}, {{0, 0}, {2, 1}}), UsageError);
  EXPECT_THROW(threads_by_node({{7}}, {{0, 0}}), UsageError);
  EXPECT_THROW(threads_by_node({{}}, {{0, 0}}), UsageError);
}

TEST(Pages, AreCountedThatAreNotOnANode) {
  constexpr std::size_t page = 4096;
  Array<std::byte> array(std::size_t{8} << 20U);
  if (memory_nodes().empty()) GTEST_SKIP() << "hardware: the kernel places no pages on NUMA nodes";
  const int node = memory_nodes().front();
  const auto all = pages_elsewhere(array.data(), array.size(), node);
  EXPECT_EQ(all, array.size() / page);  // none is there yet
  EXPECT_TRUE(prefer_node(array.data(), array.size(), node));
  for (std::size_t i = 0; i < array.size(); i += page) array[i] = std::byte{1};
  EXPECT_EQ(pages_elsewhere(array.data(), array.size(), node), 0);
  EXPECT_EQ(pages_elsewhere(array.data(), array.size(), node + 1), all);
}

}  // namespace
}  // namespace banzuke::memory
