#include <tuple>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/grammars.h"
#include "app/cli/options.h"

namespace spindle::app {
namespace {

/// @return the problem, or nothing.
std::string checkFormat(const std::string& text) {
  if (text == "jsonl" || text == "parquet") return {};
  return fmt::format("expected jsonl or parquet, but found \"{}\"", text);
}

/// Errors: kInvalidArgument.
Result<void> requireProject(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash != std::string::npos && slash > 0 && slash + 1 < text.size() &&
      text.find('/', slash + 1) == std::string::npos) {
    return {};
  }
  return Error::invalidArgument(
      fmt::format("--project: expected ENTITY/PROJECT, but found \"{}\"", text));
}

/// The options of `spindle traces export`, before the times are parsed.
struct ExportOptions {
  ExportTraces traces;
  std::optional<std::string> from;
  std::optional<std::string> to;
};

Result<ExportTraces> exportOf(const ExportOptions& options) {
  ExportTraces traces = options.traces;
  TRY(requireProject(traces.project));
  for (const auto& [flag, text, time] : {std::tuple("--from", &options.from, &traces.from),
                                         std::tuple("--to", &options.to, &traces.to)}) {
    if (!*text) continue;
    const ParsedTimestamp parsed = parseTimestamp(**text);
    if (!parsed || (*text)->find('-') == std::string::npos)
      return Error::invalidArgument(fmt::format(
          "{}: expected a time such as 2026-12-31T12:00:00Z, but found \"{}\"", flag, **text));
    *time = *parsed.value;
  }
  return traces;
}

void addProjectAndServer(CommandBuilder& builder, CLI::App* app, std::string& project) {
  addOption(app, "--project", project, "PROJECT", "ENTITY/PROJECT")->required();
  builder.addServerFlags(app);
}

}  // namespace

void addTraceCommands(CommandBuilder& builder) {
  CLI::App* group = builder.group("traces", "Export calls to files, and import them.");
  const auto [out, options] =
      builder.add(group, {"export", "Export the calls of a project to files."}, ExportOptions(),
                  builder.commandFrom<TraceCommand>(exportOf));
  ExportTraces& exported = options.traces;
  addProjectAndServer(builder, out, exported.project);
  addOption(out, "--output", exported.output, "FOLDER",
            "Folder for the files; an unfinished export in it is resumed")
      ->required();
  addOption(out, "--format", exported.format, "FORMAT", "jsonl or parquet")
      ->check(CLI::Validator(checkFormat, "", "format"))
      ->default_str("jsonl");
  addOption(out, "--from", options.from, "TIME", "Only calls that started at this time or later");
  addOption(out, "--to", options.to, "TIME", "Only calls that started before this time");
  addOption(out, "--page", exported.page, "N", "Calls per file")
      ->check(CLI::Range(1, 10'000'000))
      ->default_str("50000");
  const auto [in, imported] = builder.add(
      group, {"import", "Import exported calls into a project."}, ImportTraces(),
      builder.commandFrom<TraceCommand>([](const ImportTraces& traces) -> Result<ImportTraces> {
        TRY(requireProject(traces.project));
        return traces;
      }));
  addProjectAndServer(builder, in, imported.project);
  addOption(in, "--input", imported.input, "PATH",
            "Folder of an export, or a .jsonl or .parquet file")
      ->required();
  addOption(in, "--state", imported.state, "FILE",
            "File that stores the progress; next to the input if omitted");
  in->add_flag("--keep-refs", imported.keep_refs,
               "Keep references to the exported project unchanged");
  in->add_flag("--skip-bad", imported.skip_bad,
               "Skip and count invalid lines instead of stopping at the first one");
}

}  // namespace spindle::app
