#include <cstdio>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "app/commands/command_groups.h"
#include "app/commands/command_output.h"
#include "app/commands/console_progress.h"
#include "app/commands/server_command.h"
#include "transfer/exporter.h"
#include "transfer/importer.h"

namespace spindle::app {
namespace {

/// Throws the error of a transfer, with a hint when the command can be repeated.
[[noreturn]] void failTransfer(const Error& error) {
  const bool again = error.code() != ErrorCode::kInvalidArgument;
  throw std::runtime_error(error.message() +
                           (again ? "\nrun the same command again to continue" : ""));
}

/// Executes one command on the server.
class TraceCommandRunner {
 public:
  explicit TraceCommandRunner(const transfer::ServerAddress& address)
      : url_(address.url), server_(address), progress_(stderr, ::isatty(STDERR_FILENO) != 0) {}

  CommandOutput operator()(const ExportTraces& command) {
    transfer::ExportOptions options;
    options.range = {
        command.project, command.from, command.to,
        command.format == "parquet" ? transfer::Format::kParquet : transfer::Format::kJsonLines};
    options.folder = command.output;
    options.calls_per_part = command.page;
    const Result<transfer::ExportOutcome> outcome =
        transfer::Exporter(server_, pause(), progress_).run(options);
    if (!outcome) failTransfer(outcome.error());
    const std::string whole =
        fmt::format("{} in {}", counted(outcome->calls, "call"),
                    counted(static_cast<std::int64_t>(outcome->parts), "part"));
    if (outcome->finished_before) {
      return {.text = fmt::format("{} already contains the complete export of {}: {}.\n",
                                  command.output, command.project, whole)};
    }
    return {.text =
                fmt::format("Exported {} to {}: {}.\n", command.project, command.output, whole)};
  }

  CommandOutput operator()(const ImportTraces& command) {
    transfer::ImportOptions options;
    options.project = command.project;
    options.input = command.input;
    options.url = url_;
    options.state_file = command.state.value_or("");
    options.keep_refs = command.keep_refs;
    options.skip_bad = command.skip_bad;
    const Result<transfer::ImportOutcome> outcome =
        transfer::Importer(server_, pause(), progress_).run(options);
    if (!outcome) failTransfer(outcome.error());
    std::string text =
        fmt::format("Imported {} into {}.", counted(outcome->calls, "call"), command.project);
    if (outcome->skipped > 0)
      text += fmt::format(" Skipped {}.", counted(outcome->skipped, "bad line"));
    return {.text = text + "\n"};
  }

 private:
  transfer::SleepFunction pause() {
    return [this](std::chrono::seconds time) {
      progress_.printLine(fmt::format("the server is busy; retrying in {} s", time.count()));
      std::this_thread::sleep_for(time);
    };
  }

  const std::string url_;
  transfer::HttpCallApiClient server_;
  ConsoleProgress progress_;
};

}  // namespace

int runGroup(const config::Loaded& loaded, const TraceCommand& command) {
  return runOnServer<TraceCommandRunner>(loaded, command);
}

}  // namespace spindle::app
