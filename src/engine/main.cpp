// spindle-engine: one model, many answers at once, in OpenAI's dialect.

#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <thread>

#include <CLI/CLI.hpp>

#include "base/log.h"
#include "base/metrics.h"
#include "base/time.h"
#include "engine/chat_template.h"
#include "engine/engine_api.h"
#include "engine/model.h"
#include "engine/scheduler.h"
#include "http/router.h"
#include "http/server.h"

namespace {

using namespace spindle;  // NOLINT(google-build-using-namespace): the program itself

struct Options {
  std::string model;
  std::string name;
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;
  engine::SchedulerOptions scheduler;
};

void describe(CLI::App& line, Options& options) {
  line.description(
      "Answers chat completions with one model file. `spindle serve` starts it when a model is "
      "first used; by hand it is for trying a file out:\n\n"
      "  spindle-engine --model tiny.gguf --port 9000\n"
      "  curl localhost:9000/v1/chat/completions -d '{\"model\":\"tiny\",\"messages\":"
      "[{\"role\":\"user\",\"content\":\"Hi\"}]}'");
  line.add_option("--model", options.model, "The GGUF file")->required()->check(CLI::ExistingFile);
  line.add_option("--name", options.name, "What requests name it; the file's name when left out");
  line.add_option("--address", options.address, "Where to listen")->capture_default_str();
  line.add_option("--port", options.port, "The port; 0: any that is free")->capture_default_str();
  line.add_option("--slots", options.scheduler.slots, "Answers at a time")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  line.add_option("--context", options.scheduler.context, "Tokens of prompt and answer together")
      ->check(CLI::Range(16, 1 << 22))
      ->capture_default_str();
  line.add_option("--batch", options.scheduler.batch, "Tokens that the model reads in one step")
      ->check(CLI::Range(16, 1 << 16))
      ->capture_default_str();
  line.add_option("--queue", options.scheduler.queue, "Answers that may wait")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  line.add_flag("--exact", options.scheduler.exact,
                "Remember in 32 bits: slower and larger, for comparing answers");
  line.add_option("--threads", options.scheduler.threads, "Threads; 0: as many as there are cores")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
}

std::string nameOf(const std::string& path) {
  const std::string file = path.substr(path.rfind('/') + 1);
  return file.ends_with(".gguf") ? file.substr(0, file.size() - 5) : file;
}

int serve(const Options& options) {
  // Blocked before any thread begins, so that all inherit it and only sigwait() sees them.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  engine::startBackend();
  const Result<std::unique_ptr<engine::Model>> model = engine::Model::load(options.model);
  if (!model) throw std::runtime_error(model.error().message());
  const Result<std::unique_ptr<engine::ChatTemplate>> chat = engine::ChatTemplate::of(**model);
  if (!chat) throw std::runtime_error(chat.error().message());
  engine::SchedulerOptions scheduling = options.scheduler;
  scheduling.context = std::min(scheduling.context, (*model)->context());
  SystemClock clock;
  engine::Scheduler scheduler(**model, scheduling);
  http::Router router({});
  engine::addEngineRoutes(router,
                          {.name = options.name.empty() ? nameOf(options.model) : options.name,
                           .model = **model,
                           .chat_template = **chat,
                           .scheduler = scheduler,
                           .clock = clock});
  MetricRegistry metrics;
  http::ServerOptions server_options;
  server_options.address = options.address;
  server_options.port = options.port;
  server_options.io_threads = 1;
  // A whole answer holds a thread while it is generated or waits.
  server_options.worker_threads = scheduling.slots + scheduling.queue + 4;
  server_options.access_log = false;
  http::Server server(server_options, router, metrics);
  server.start();
  std::fprintf(stderr, "listening on %s\n", server.url().c_str());
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
  CLI11_PARSE(line, argc, argv);
  try {
    return serve(options);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "spindle-engine: %s\n", problem.what());
    return 1;
  }
}
