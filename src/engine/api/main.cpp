// spindle-engine: serves one model file to concurrent clients over an OpenAI-compatible API.

#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include "base/core/log.h"
#include "base/core/metrics.h"
#include "base/core/time.h"
#include "base/process/child_process.h"
#include "base/process/sandbox.h"
#include "engine/api/engine_api.h"
#include "engine/api/engine_service.h"
#include "engine/chat/chat_template.h"
#include "engine/runtime/embedder.h"
#include "engine/runtime/model.h"
#include "engine/runtime/scheduler.h"
#include "http/router/router.h"
#include "http/server/server.h"
#include "weights/formats/file_name.h"
#include "weights/formats/model_tensors.h"

namespace {

using namespace spindle;  // NOLINT(google-build-using-namespace): the program itself

constexpr Logger kLog("engine");
constexpr int kFailed = 1;
constexpr int kUsage = 2;
constexpr int kNotLoaded = 3;
// Time limit of the drain after the parent process has ended: no client waits for the answers.
constexpr unsigned kSecondsToEnd = 15;

struct Options {
  std::string model;
  std::string name;
  std::string chat_template;
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;
  std::string socket;
  bool until_end_of_input = false;
  std::string sandbox = "off";
  std::vector<std::string> read;
  bool embeddings = false;
  engine::SchedulerOptions scheduler;
};

void describe(CLI::App& line, Options& options) {
  line.description(
      "Serves one GGUF model file over an OpenAI-compatible HTTP API. `spindle serve` starts an "
      "engine when a model is first used. Start one by hand to try out a file:\n\n"
      "  spindle-engine --model tiny.gguf --port 9000\n"
      "  curl localhost:9000/v1/chat/completions -d '{\"model\":\"tiny\",\"messages\":"
      "[{\"role\":\"user\",\"content\":\"Hi\"}]}'\n\n"
      "The engine listens immediately. GET /health returns 503 with the progress while the model "
      "loads, then 200. Exit codes: 0 stopped, 1 cannot listen, 2 wrong flags, 3 the file cannot "
      "be loaded.");
  line.add_option("--model", options.model, "GGUF file")->required();
  line.add_option("--name", options.name,
                  "Model name in requests; the name of the file if omitted");
  line.add_option("--chat-template", options.chat_template,
                  "File with a chat template that replaces the model's own");
  CLI::Option* address =
      line.add_option("--address", options.address, "Listen address")->capture_default_str();
  CLI::Option* port =
      line.add_option("--port", options.port, "Port; 0: any free port")->capture_default_str();
  line.add_option("--socket", options.socket,
                  "Unix socket to listen on instead, with access for this user only")
      ->excludes(address, port);
  line.add_flag(
      "--until-end-of-input", options.until_end_of_input,
      "Stop when standard input ends. A parent process that passes a pipe stops the engine "
      "when it ends in any way");
  line.add_option(
          "--sandbox", options.sandbox,
          "auto: apply every sandbox measure that the kernel supports, and log the measures. "
          "Requires --socket. off: no sandbox")
      ->check(CLI::IsMember({"auto", "off"}))
      ->capture_default_str();
  line.add_option("--read", options.read,
                  "File or folder that is readable in the sandbox, besides the model; repeatable");
  line.add_option("--slots", options.scheduler.slots, "Concurrent requests")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  line.add_option("--context", options.scheduler.context,
                  "Maximum tokens of prompt and answer together")
      ->check(CLI::Range(16, 1 << 22))
      ->capture_default_str();
  line.add_option("--batch", options.scheduler.batch, "Maximum tokens per forward pass")
      ->check(CLI::Range(16, 1 << 16))
      ->capture_default_str();
  line.add_option("--queue", options.scheduler.queue, "Maximum requests that wait for a slot")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  line.add_flag("--embeddings", options.embeddings,
                "Serve embeddings too, with a separate KV cache; embedding models always do");
  line.add_flag("--exact", options.scheduler.exact,
                "KV cache in float32: slower and larger, for comparing answers");
  line.add_option("--threads", options.scheduler.threads, "Compute threads; 0: one per core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
}

std::string nameOf(const std::string& path) {
  const std::string file = path.substr(path.rfind('/') + 1);
  return file.ends_with(".gguf") ? file.substr(0, file.size() - 5) : file;
}

sigset_t stopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

bool isAskedToStop() {
  sigset_t pending;
  sigpending(&pending);
  return sigismember(&pending, SIGINT) == 1 || sigismember(&pending, SIGTERM) == 1;
}

/// Stops the program when standard input ends.
void stopAtEndOfInput() {
  watchInput([] {
    ::alarm(kSecondsToEnd);
    ::kill(::getpid(), SIGTERM);
  });
}

http::ServerOptions serverOptions(const Options& options) {
  http::ServerOptions server;
  server.address = options.address;
  server.port = options.port;
  server.unix_path = options.socket;
  server.io_threads = 1;
  server.access_log = false;
  return server;
}

/// The loaded model with its scheduler, embedder and routes.
class LoadedModel {
 public:
  /// Loads the model. @return kInvalidArgument for a file that cannot be loaded
  static Result<std::unique_ptr<LoadedModel>> of(const Options& options,
                                                 engine::EngineService& service) {
    engine::startBackend();
    std::unique_ptr<engine::Model> model =
        TRY(engine::Model::load(options.model, [&service](float share) {
          service.setProgress(share);
          return !isAskedToStop();
        }));
    std::string template_override;
    if (!options.chat_template.empty()) {
      std::ifstream file(options.chat_template, std::ios::binary);
      template_override.assign(std::istreambuf_iterator<char>(file), {});
      if (template_override.empty())
        return Error::invalidArgument(options.chat_template +
                                      ": the file is empty or cannot be read");
    }
    Result<std::unique_ptr<engine::ChatTemplate>> chat =
        engine::ChatTemplate::of(*model, template_override);
    if (!chat) {
      return Error::invalidArgument(weights::fileNameOf(options.model) + ": " +
                                    chat.error().message());
    }
    return std::unique_ptr<LoadedModel>(
        new LoadedModel(options, std::move(model), *std::move(chat)));
  }

  void openRoutes(engine::EngineService& service) const {
    const std::uint64_t memory = model_->bytes() + (scheduler_ ? scheduler_->memoryBytes() : 0) +
                                 (embedder_ ? embedder_->memoryBytes() : 0);
    service.open(router_, {.model = name_,
                           .slots = static_cast<std::int64_t>(scheduling_.slots),
                           .context = scheduling_.context,
                           .memory_bytes = static_cast<std::int64_t>(memory)});
  }

 private:
  LoadedModel(const Options& options,
              std::unique_ptr<engine::Model> model,
              std::unique_ptr<engine::ChatTemplate> chat)
      : name_(options.name.empty() ? nameOf(options.model) : options.name),
        model_(std::move(model)),
        chat_(std::move(chat)),
        scheduling_(schedulingOf(options, *model_)),
        router_(http::RouterPorts{}) {
    if (model_->generates()) scheduler_.emplace(*model_, scheduling_);
    if (options.embeddings || !model_->generates() || model_->pooling().value_or(0) > 0) {
      embedder_.emplace(*model_, engine::Embedder::Options{.context = scheduling_.context,
                                                           .threads = scheduling_.threads});
    }
    engine::addEngineRoutes(router_, {.name = name_,
                                      .model = *model_,
                                      .chat_template = *chat_,
                                      .scheduler = scheduler_ ? &*scheduler_ : nullptr,
                                      .embedder = embedder_ ? &*embedder_ : nullptr,
                                      .clock = clock_});
  }

  static engine::SchedulerOptions schedulingOf(const Options& options, const engine::Model& model) {
    engine::SchedulerOptions scheduling = options.scheduler;
    scheduling.context = std::min(scheduling.context, model.context());
    return scheduling;
  }

  const std::string name_;
  SystemClock clock_;
  const std::unique_ptr<engine::Model> model_;
  const std::unique_ptr<engine::ChatTemplate> chat_;
  const engine::SchedulerOptions scheduling_;
  std::optional<engine::Scheduler> scheduler_;
  std::optional<engine::Embedder> embedder_;
  http::Router router_;
};

/// Enters the sandbox, before any thread starts. The server binds its socket later; then
/// denyNewSockets() blocks new sockets.
void enterEngineSandbox(const Options& options) {
  SandboxPolicy policy;
  policy.read = options.read;
  for (const std::string& file : weights::modelFilesOf(options.model)) policy.read.push_back(file);
  if (!options.chat_template.empty()) policy.read.push_back(options.chat_template);
  policy.sockets = {std::filesystem::path(options.socket).parent_path().string()};
  const SandboxReport report = enterSandbox(policy);
  kLog.info("sandbox", {{"active", report.active}, {"missing", report.missing}});
}

int serve(const Options& options) {
  const bool restricted = options.sandbox == "auto";
  if (restricted) enterEngineSandbox(options);
  // Blocked before any thread starts: all threads inherit the mask, and only sigwait() receives the
  // signals.
  const sigset_t signals = stopSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  if (options.until_end_of_input) stopAtEndOfInput();

  engine::EngineService service;
  MetricRegistry metrics;
  std::unique_ptr<LoadedModel> loaded;  // outlives the server, which uses it
  http::Server server(serverOptions(options), service, metrics);
  server.start();
  std::fprintf(stderr, "listening on %s\n", server.url().c_str());

  Result<std::unique_ptr<LoadedModel>> made = LoadedModel::of(options, service);
  if (made) {
    loaded = *std::move(made);
    // Not earlier: CUDA creates a socket when it starts. Adapters are loaded after this.
    if (restricted) denyNewSockets();
    loaded->openRoutes(service);
    std::fprintf(stderr, "model loaded\n");
  } else if (!isAskedToStop()) {
    std::fprintf(stderr, "spindle-engine: %s\n", made.error().message().c_str());
    return kNotLoaded;
  }
  int signal = 0;
  sigwait(&signals, &signal);
  server.stop();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App line;
  Options options;
  describe(line, options);
  try {
    line.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    return line.exit(problem) == 0 ? 0 : kUsage;
  }
  if (options.sandbox == "auto" && options.socket.empty()) {
    std::fprintf(stderr, "spindle-engine: --sandbox auto requires --socket\n");
    return kUsage;
  }
  try {
    return serve(options);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "spindle-engine: %s\n", problem.what());
    return kFailed;
  }
}
