#include <cmath>
#include <cstdio>

#include "trainer/pretraining/pretrain.h"

namespace spindle::trainer {

int pretrainProgram(const std::vector<std::string>& arguments) {
  const Result<PretrainOptions> options = pretrainOptionsOf(arguments);
  if (!options) {
    std::fprintf(stderr, "%s\n\n%s", options.error().message().c_str(), pretrainHelp().c_str());
    return 2;
  }
  const Result<void> done = pretrain(*options, [](const PretrainProgress& progress) {
    if (progress.step % 10 != 1 && std::isnan(progress.held_out_loss)) return;
    std::printf("step %llu loss %.4f rate %.2e gradient %.3f tokens/s %.0f epoch %.2f",
                static_cast<unsigned long long>(progress.step), progress.loss,
                progress.learning_rate, progress.gradient, progress.tokens_per_second,
                progress.epoch);
    if (!std::isnan(progress.held_out_loss)) std::printf(" held out %.4f", progress.held_out_loss);
    std::printf("\n");
    std::fflush(stdout);
  });
  if (done) return 0;
  std::fprintf(stderr, "pretrain: %s\n", done.error().message().c_str());
  return 1;
}

}  // namespace spindle::trainer
