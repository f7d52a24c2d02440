#include "worker.hpp"

#include <cstdio>
#include <exception>

int main(int argc, char** argv) {
  using namespace bench;
  require(argc == 4, "usage: worker WORKLOAD ACTION FILE");
  const std::string_view workload = argv[1];
  const std::string_view name = argv[2];
  try {
    for (const auto& actions :
         {large_actions(), many_actions(), node_actions(), middle_actions(), eigen_actions(),
          burn_actions(), recording_actions(), compare_actions()}) {
      for (const Action& action : actions) {
        if (action.workload != workload || action.name != name) continue;
        action.run(argv[3]);
        return 0;
      }
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  require(false, "worker: unknown workload or action");
}
