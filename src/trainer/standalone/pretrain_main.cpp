// spindle-pretrain: only `spindle-trainer pretrain`, for machines that have LibTorch and few other
// libraries.

#include <cstdio>
#include <exception>

#include "trainer/pretraining/pretrain.h"

int main(int argc, char** argv) {
  try {
    return spindle::trainer::pretrainProgram({argv + 1, argv + argc});
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "spindle-pretrain: %s\n", problem.what());
    return 1;
  }
}
