#include "app/commands/trace_commands.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "app/commands/command_output.h"
#include "app/commands/console_progress.h"
#include "storage/folder/data_folder.h"
#include "transfer/exporter.h"
#include "transfer/importer.h"

namespace spindle::app {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
}

Secret givenKey(const Secret& key) {
  const std::string text(key.reveal());
  if (!text.starts_with('@')) return key;
  std::ifstream file(text.substr(1), std::ios::binary);
  if (!file.is_open()) throw std::runtime_error(text.substr(1) + ": cannot be read");
  return Secret(trimmed({std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()}));
}

Secret adminKey(const config::Settings& settings, const storage::DataFolder& folder) {
  if (!settings.auth.admin_api_key.empty()) return settings.auth.admin_api_key;
  const std::optional<std::string> kept = folder.read("admin-api-key");
  return Secret(kept ? trimmed(*kept) : std::string());
}

std::string withoutSlash(std::string url) {
  while (url.ends_with('/')) url.pop_back();
  return url;
}

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

  std::string operator()(const ExportTraces& command) {
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
      return fmt::format("{} already contains the complete export of {}: {}.", command.output,
                         command.project, whole);
    }
    return fmt::format("Exported {} to {}: {}.", command.project, command.output, whole);
  }

  std::string operator()(const ImportTraces& command) {
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
    return text;
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

transfer::ServerAddress findServer(const config::Settings& settings, const ServerFlags& choice) {
  transfer::ServerAddress address;
  const std::string data_dir = settings.storage.data_dir.string();
  std::string running;
  Secret own_key;
  // Must not create the data folder.
  if (std::error_code ignored; std::filesystem::is_directory(data_dir, ignored)) {
    const storage::DataFolder folder(data_dir);
    const std::optional<storage::FolderHolder> holder = storage::DataFolderLock::holder(folder);
    if (holder) running = holder->url;
    if (!running.empty()) own_key = adminKey(settings, folder);
  }
  address.url = choice.url ? withoutSlash(*choice.url) : running;
  if (address.url.empty()) {
    throw std::runtime_error("no server runs on the data folder " + data_dir +
                             ": start one with `spindle serve`, or set --url and --key");
  }
  address.key = givenKey(choice.key);
  if (address.url == running) {
    address.ca_file = settings.server.tls_certificate.string();  // it may be self-signed
    if (address.key.empty()) address.key = own_key;
  }
  if (address.key.empty())
    throw std::runtime_error("no API key for " + address.url + ": set --key");
  return address;
}

int runTraceCommand(const config::Settings& settings, const TraceCommand& command) {
  std::string text;
  {
    TraceCommandRunner runner(findServer(settings, command.server));
    text = std::visit(runner, command.action);
  }
  std::printf("%s\n", text.c_str());
  return 0;
}

}  // namespace spindle::app
