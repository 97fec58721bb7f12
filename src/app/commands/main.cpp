#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "app/cli/command_line.h"
#include "app/commands/command_runner.h"

/// Configures jemalloc, if the program is linked with it: freed memory returns to the system within
/// one or two seconds.
extern "C" {
extern const char* malloc_conf;
const char* malloc_conf = "narenas:4,dirty_decay_ms:1000,muzzy_decay_ms:0";
}

int main(int argc, char** argv) {
  try {
    const spindle::Result<spindle::app::CommandLine> line =
        spindle::app::parseCommandLine(std::vector<std::string>(argv + 1, argv + argc));
    if (!line) {
      std::fprintf(stderr, "spindle: %s\n", line.error().message().c_str());
      return 2;
    }
    return spindle::app::runCommand(*line);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "spindle: %s\n", error.what());
    return 1;
  }
}
