// spindle-trainer: trains adapters with SFT and RL, and pretrains small models.

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include "base/core/log.h"
#include "base/process/child_process.h"
#include "base/process/sandbox.h"
#include "http/client/client.h"
#include "trainer/jobs/job.h"
#include "trainer/model/line_file.h"
#include "trainer/pretraining/pretrain.h"
#include "trainer/worker/log.h"
#include "trainer/worker/server_address.h"
#include "trainer/worker/worker.h"
#include "trainer/worker/worker_folder.h"

namespace {

using namespace spindle;  // NOLINT(google-build-using-namespace): the program itself

constexpr int kFailed = 1;
constexpr int kUsage = 2;
constexpr const char* kDefaultFolder = "./spindle-trainer";

int printError(const Error& error, int code) {
  std::fprintf(stderr, "spindle-trainer: %s\n", error.message().c_str());
  return code;
}

struct Options {
  trainer::WorkerOptions worker;
  bool until_end_of_input = false;
  std::string sandbox = "auto";
  std::vector<std::string> read;
  std::string key;
  trainer::JobSpec job;
  std::string config_file;
  int threads = 0;
  std::string device = "auto";
};

/// Prints steps to standard output, one line each.
class EventPrinter final : public trainer::JobEvents {
 public:
  void onStart(std::uint64_t steps, const std::string& note) override {
    steps_ = steps;
    std::printf("%llu steps\n", static_cast<unsigned long long>(steps));
    if (!note.empty()) std::printf("%s\n", note.c_str());
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
  Action action() override { return Action::kContinue; }

 private:
  std::uint64_t steps_ = 0;
};

void addComputeOptions(CLI::App& command, Options& options) {
  command.add_option("--threads", options.threads, "Compute threads; 0: one per core")
      ->check(CLI::NonNegativeNumber);
  command.add_option("--device", options.device, "auto, cpu or cuda")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}));
}

void addJobOptions(CLI::App& command, Options& options) {
  trainer::JobSpec& job = options.job;
  command.add_option("--base", job.base, "A GGUF file or a Hugging Face folder")->required();
  command.add_option("--data", job.data, "JSON lines to train on")->required();
  command.add_option("--out", job.out, "Output folder for the adapter")->required();
  command.add_option("--adapter", job.adapter, "PEFT folder to continue from");
  command.add_option("--reference", job.reference, "Reference adapter of the KL penalty");
  command.add_option("--base-model", job.base_model, "Name of the base model in the adapter");
  command.add_option("--config", options.config_file,
                     "JSON file with the job's configuration (docs/trainer.md)");
  command.add_option("--state", job.state,
                     "State file: written during training, and resumed from if it exists");
  addComputeOptions(command, options);
}

trainer::Compute computeOf(const Options& options) {
  trainer::Compute compute =
      options.device == "cpu" ? trainer::Compute{} : trainer::defaultCompute();
  if (options.device == "cuda") compute.cuda = compute.half = true;
  compute.threads = options.threads;
  return compute;
}

int runJob(Options& options) {
  if (!options.config_file.empty()) {
    const Result<std::string> config = trainer::readTextFile(options.config_file);
    if (!config) return printError(config.error(), kFailed);
    options.job.config = *config;
  }
  options.job.is_manual = true;
  EventPrinter events;
  trainer::JobRunner runner(computeOf(options));
  const Result<trainer::JobResult> result = runner.run(options.job, events);
  if (!result) return printError(result.error(), kFailed);
  std::printf("%s\n", result->unchanged ? "there was nothing to learn: no adapter was written"
                                        : options.job.out.c_str());
  return 0;
}

std::atomic<bool> stopping{false};

void addWorkerOptions(CLI::App& line, Options& options) {
  line.add_option("--server", options.worker.server,
                  "Take jobs from this server: http://host:port");
  line.add_option("--key", options.key,
                  "An API key of an administrator, or of a service account of the organization "
                  "whose description is 'trainer' or begins with 'trainer '")
      ->envname("SPINDLE_TRAINER_KEY");
  line.add_option(
      "--name", options.worker.name,
      "Unique name of this worker (default: the host name and letters that are stored in "
      "the folder)");
  line.add_option(
      "--folder", options.worker.folder,
      "Folder for job files, used by this trainer only (default: ./spindle-trainer, or if "
      "another trainer uses it, ./spindle-trainer-2 and so on)");
  line.add_option("--save-every", options.worker.seconds_between_states,
                  "Seconds between two saved states, from which a job resumes after a crash")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  line.add_option("--idle-exit", options.worker.idle_exit,
                  "Exit after this many seconds without a job; 0: never")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  line.add_flag("--until-end-of-input", options.until_end_of_input,
                "Exit when standard input ends, together with the process at its other end");
  line.add_option("--sandbox", options.sandbox,
                  "auto: with --server, apply every restriction that the kernel supports, and log "
                  "them. off: none")
      ->check(CLI::IsMember({"auto", "off"}))
      ->capture_default_str();
  line.add_option(
      "--read", options.read,
      "File that is readable in the sandbox: base models on the server's own host, which "
      "are downloaded otherwise");
  addComputeOptions(line, options);
}

/// Call before any thread starts: neither the HTTP client nor LibTorch has started one.
void enterTrainerSandbox(const Options& options) {
  SandboxPolicy policy;
  const bool is_local = options.worker.server.starts_with("unix:");
  policy.network =
      is_local ? SandboxPolicy::Network::kUnixSockets : SandboxPolicy::Network::kInternet;
  policy.read = options.read;
  for (const char* variable : {"SSL_CERT_FILE", "SSL_CERT_DIR"}) {
    const char* const path = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe)
    if (path != nullptr) policy.read.emplace_back(path);
  }
  policy.write = {options.worker.folder};
  const SandboxReport report = enterSandbox(policy);
  trainer::kLog.info("sandbox", {{"active", report.active}, {"missing", report.missing}});
}

int runWorker(Options& options) {
  Result<std::string> address = trainer::serverAddressOf(options.worker.server);
  if (!address) return printError(address.error(), kUsage);
  options.worker.server = *std::move(address);
  if (options.key.empty()) {
    return printError(
        Error::invalidArgument(
            "there is no key: give one with --key, or in SPINDLE_TRAINER_KEY. Use the key of an "
            "administrator (file admin-api-key in the server's data folder), or of "
            "a service account of the organization with the description 'trainer'"),
        kUsage);
  }
  const Result<trainer::WorkerFolder> folder =
      options.worker.folder.empty() ? trainer::WorkerFolder::takeFirstFree(kDefaultFolder)
                                    : trainer::WorkerFolder::take(options.worker.folder);
  if (!folder) return printError(folder.error(), kFailed);
  options.worker.folder = folder->path();
  if (options.worker.name.empty()) options.worker.name = folder->workerName();
  configureLogging(LogLevel::kInfo, LogFormat::kJson);
  if (options.sandbox == "auto") enterTrainerSandbox(options);
  if (options.until_end_of_input) watchInput([] { ::_exit(0); });
  std::signal(SIGTERM, [](int) { stopping = true; });
  std::signal(SIGINT, [](int) { stopping = true; });
  options.worker.key = Secret(options.key);
  http::Client client{http::ClientOptions()};
  const trainer::Compute compute = computeOf(options);
  options.worker.device = compute.cuda ? "cuda" : "cpu";
  trainer::JobRunner runner(compute);
  trainer::Worker worker(client, options.worker, runner, stopping);
  const Result<void> done = worker.run();
  return done ? 0 : printError(done.error(), kFailed);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App line;
  line.description(
      "Trains language models. Exit codes: 0 done, 1 failed (the reason is on standard error), 2 "
      "wrong options.");
  line.require_subcommand(0, 1);
  Options options;
  addWorkerOptions(line, options);
  CLI::App* sft = line.add_subcommand("sft", "Train on examples: lines {\"messages\": […]}");
  CLI::App* rl = line.add_subcommand("rl", "Train on rewards: lines {\"trajectories\": […]}");
  addJobOptions(*sft, options);
  addJobOptions(*rl, options);
  CLI::App* pretrain =
      line.add_subcommand("pretrain", "Pretrain a small model from scratch on files of tokens");
  pretrain->footer(trainer::pretrainHelp());
  pretrain->prefix_command();
  try {
    line.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    return line.exit(problem) == 0 ? 0 : kUsage;
  }
  try {
    if (!options.worker.server.empty()) return runWorker(options);
    if (line.get_subcommands().empty()) {
      std::fprintf(stderr, "spindle-trainer: give --server or a subcommand\n\n%s",
                   line.help().c_str());
      return kUsage;
    }
    if (pretrain->parsed()) return trainer::pretrainProgram(pretrain->remaining());
    options.job.kind = rl->parsed() ? trainer::JobSpec::Kind::kRl : trainer::JobSpec::Kind::kSft;
    return runJob(options);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "spindle-trainer: %s\n", problem.what());
    return kFailed;
  }
}
