// spindle-trainer: adapters by examples and by rewards, and small models from nothing.

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "trainer/job.h"
#include "trainer/line_file.h"
#include "trainer/pretrain.h"

namespace {

using namespace spindle;  // NOLINT(google-build-using-namespace): the program itself

constexpr int kFailed = 1;
constexpr int kUsage = 2;

struct Options {
  trainer::JobSpec job;
  std::string config_file;
  int threads = 0;
  std::string device = "auto";
};

/// Tells steps on standard output, a line each.
class PrintedEvents final : public trainer::JobEvents {
 public:
  void onStart(std::uint64_t steps) override {
    steps_ = steps;
    std::printf("%llu steps\n", static_cast<unsigned long long>(steps));
    std::fflush(stdout);
  }
  void onStep(std::uint64_t step, const trainer::Metrics& metrics) override {
    std::printf("step %llu/%llu", static_cast<unsigned long long>(step),
                static_cast<unsigned long long>(steps_));
    for (const char* name : {"loss", "reward", "kl_policy_ref", "entropy", "grad_norm",
                             "learning_rate", "tokens_per_second"}) {
      const auto found = metrics.find(name);
      if (found != metrics.end()) std::printf(" %s %.4g", name, found->second);
    }
    std::printf("\n");
    std::fflush(stdout);
  }
  void onState(std::uint64_t /*step*/) override {}
  bool isCancelled() override { return false; }

 private:
  std::uint64_t steps_ = 0;
};

void describeJob(CLI::App& command, Options& options) {
  trainer::JobSpec& job = options.job;
  command.add_option("--base", job.base, "A GGUF file or a Hugging Face folder")->required();
  command.add_option("--data", job.data, "JSON lines to learn from")->required();
  command.add_option("--out", job.out, "The folder for the new adapter")->required();
  command.add_option("--adapter", job.adapter, "A PEFT folder to go on with");
  command.add_option("--reference", job.reference, "The adapter that KL compares with");
  command.add_option("--base-model", job.base_model, "What the base is called in the adapter");
  command.add_option("--config", options.config_file,
                     "A JSON file with the job's configuration (docs/trainer.md)");
  command.add_option("--state", job.state, "A file to go on from, written while it trains");
  command.add_option("--threads", options.threads, "0: as many as there are cores");
  command.add_option("--device", options.device, "auto, cpu or cuda")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}));
}

trainer::Compute computeOf(const Options& options) {
  trainer::Compute compute = options.device == "cpu" ? trainer::Compute{} : trainer::usualCompute();
  if (options.device == "cuda") compute.cuda = compute.half = true;
  compute.threads = options.threads;
  return compute;
}

int runJob(Options& options) {
  if (!options.config_file.empty()) {
    const Result<std::string> config = trainer::readTextFile(options.config_file);
    if (!config) {
      std::fprintf(stderr, "spindle-trainer: %s\n", config.error().message().c_str());
      return kFailed;
    }
    options.job.config = *config;
  }
  PrintedEvents events;
  trainer::JobRunner runner(computeOf(options));
  const Result<trainer::JobResult> result = runner.run(options.job, events);
  if (!result) {
    std::fprintf(stderr, "spindle-trainer: %s\n", result.error().message().c_str());
    return kFailed;
  }
  std::printf("%s\n", result->unchanged ? "there was nothing to learn: no adapter was written"
                                        : options.job.out.c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App line;
  line.description(
      "Trains language models. Exit codes: 0 done, 1 failed (the reason is on standard error), 2 "
      "wrong options.");
  line.require_subcommand(1);
  Options options;
  CLI::App* sft = line.add_subcommand("sft", "Learn from examples: lines {\"messages\": […]}");
  CLI::App* rl = line.add_subcommand("rl", "Learn from rewards: lines {\"trajectories\": […]}");
  describeJob(*sft, options);
  describeJob(*rl, options);
  CLI::App* pretrain =
      line.add_subcommand("pretrain", "Make a small model from nothing, out of files of tokens");
  pretrain->footer(trainer::pretrainHelp());
  pretrain->prefix_command();
  try {
    line.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    return line.exit(problem) == 0 ? 0 : kUsage;
  }
  try {
    if (pretrain->parsed()) return trainer::pretrainProgram(pretrain->remaining());
    options.job.kind = rl->parsed() ? trainer::JobSpec::Kind::kRl : trainer::JobSpec::Kind::kSft;
    return runJob(options);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "spindle-trainer: %s\n", problem.what());
    return kFailed;
  }
}
