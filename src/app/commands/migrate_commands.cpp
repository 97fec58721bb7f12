#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

#include "app/commands/command_groups.h"
#include "app/commands/command_output.h"
#include "app/commands/console_progress.h"
#include "app/commands/data_folder_holds.h"
#include "app/commands/find_server.h"
#include "app/commands/json_object.h"
#include "app/migrate/migrate.h"
#include "base/core/log.h"

namespace spindle::app {
namespace {

constexpr std::size_t kShownDigits = 16;

std::string itemsText(const StoreReport& store) {
  return counted(store.items, store.store == MovedStore::kFiles ? "file" : "row");
}

std::string reportText(const MigrateReport& report, const MigrateCommand& command) {
  std::string text;
  for (const StoreReport& store : report.stores) {
    const bool equal = store.differences.empty();
    text += fmt::format("{:<9} {}  {}  digest {}\n          {} -> {}\n", nameOf(store.store),
                        equal ? "equal " : "DIFFER", itemsText(store),
                        store.digest.substr(0, kShownDigits), store.from, store.to);
    for (const std::string& line : store.differences) text += fmt::format("DIFFERENCE {}\n", line);
  }
  if (!report.clean()) {
    text +=
        "The two sides differ. If the source was changed during the move, run the command again "
        "with --start-over.\n";
  }
  for (const std::string& note : report.notes) text += note + "\n";
  if (report.finished)
    text += fmt::format("The move is complete: start servers on {}.\n", command.to);
  return text;
}

std::string reportJson(const MigrateReport& report) {
  std::vector<json::Text> stores;
  for (const StoreReport& store : report.stores) {
    stores.push_back({jsonObject({{"store", nameOf(store.store)},
                                  {"from", store.from},
                                  {"to", store.to},
                                  {"items", store.items},
                                  {"digest", store.digest},
                                  {"differences", store.differences}})});
  }
  return jsonObject({{"finished", report.finished},
                     {"clean", report.clean()},
                     {"stores", stores},
                     {"notes", report.notes}}) +
         "\n";
}

MovedStore storeOf(std::string_view name) {
  for (const MovedStore store : {MovedStore::kFiles, MovedStore::kTraces}) {
    if (name == nameOf(store)) return store;
  }
  return MovedStore::kMetadata;
}

}  // namespace

int migrate(const MigrateCommand& command) {
  configureLogging(LogLevel::kWarning, LogFormat::kText);
  // A limit of file sizes is an error of the write, like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  MigrateOptions options;
  options.from = command.from;
  options.to = command.to;
  options.start_over = command.start_over;
  for (const std::string& name : command.only) options.only.insert(storeOf(name));
  options.hold = [](const config::Settings& settings) {
    return holdOfServer(findServer(settings, {}));
  };
  options.progress = [](MoveUnit unit) {
    return std::make_unique<ConsoleProgress>(
        stderr, ::isatty(STDERR_FILENO) != 0,
        unit == MoveUnit::kFiles ? ProgressUnit::kFiles : ProgressUnit::kRows);
  };
  options.say = [](const std::string& line) { fmt::print(stderr, "{}\n", line); };
  const MigrateReport report = migrateData(options);
  std::fputs((command.json ? reportJson(report) : reportText(report, command)).c_str(), stdout);
  return report.clean() ? 0 : 1;
}

}  // namespace spindle::app
