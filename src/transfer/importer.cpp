#include "transfer/importer.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>

#include "base/crypto/file_digest.h"
#include "base/process/durable_file.h"
#include "columnar/duckdb/parquet.h"
#include "http/message/uri.h"
#include "storage/folder/data_folder.h"
#include "transfer/call_columns.h"

namespace spindle::transfer {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBatchCalls = 500;
constexpr std::size_t kBatchBytes = 4UL << 20;
constexpr std::int64_t kMaxReportedBadLines = 20;
constexpr const char* kStateName = "import-state.json";

std::string stateFileFor(const ImportOptions& options) {
  if (!options.state_file.empty()) return options.state_file;
  std::error_code ignored;
  if (fs::is_directory(options.input, ignored))
    return (fs::path(options.input) / kStateName).string();
  return options.input + "." + kStateName;
}

storage::DataFolder folderOf(const std::string& file) {
  const std::string folder = fs::path(file).parent_path().string();
  return storage::DataFolder(folder.empty() ? "." : folder);
}

std::string pathInProject(const std::string& project, std::string_view rest) {
  const std::size_t slash = project.find('/');
  return "/v2/" + http::percentEncode(project.substr(0, slash)) + "/" +
         http::percentEncode(project.substr(std::min(slash + 1, project.size()))) +
         std::string(rest);
}

}  // namespace

Result<ImportOutcome> Importer::run(const ImportOptions& options) {
  Input input = TRY(findInput(options.input));
  state_file_ = stateFileFor(options);
  state_ = {options.url, options.project, options.keep_refs};
  TRY(resume(options, input));
  progress_.begin(state_.calls + state_.skipped, input.calls);
  if (state_.line > 0)
    progress_.printLine("continuing after " + state_.file + ":" + std::to_string(state_.line));
  if (input.unfinished)
    progress_.printLine("the export is not finished: importing the parts that exist");
  bool begun = state_.file.empty();
  for (const InputFile& file : input.files) {
    if (!begun && file.name != state_.file) continue;
    if (begun) {
      state_.file = file.name;
      state_.line = 0;
    }
    begun = true;
    TRY(importFile(options, file));
  }
  std::error_code ignored;
  fs::remove(state_file_, ignored);
  return ImportOutcome{state_.calls, state_.skipped};
}

Result<void> Importer::resume(const ImportOptions& options, const Input& input) {
  const std::optional<std::string> text =
      folderOf(state_file_).read(fs::path(state_file_).filename().string());
  if (!text) return {};
  Result<ImportState> found = readImportState(*text);
  if (!found) return Error::invalidArgument(state_file_ + ": " + found.error().message());
  const bool known = std::any_of(input.files.begin(), input.files.end(),
                                 [&](const InputFile& file) { return file.name == found->file; });
  if (found->isSameImport(state_) && known) {
    state_ = *std::move(found);
  } else {
    progress_.printLine(state_file_ + " does not belong to this import into " + options.project +
                        ": starting from the beginning");
  }
  return {};
}

void Importer::saveState() const {
  folderOf(state_file_)
      .replace(fs::path(state_file_).filename().string(), writeImportState(state_));
}

Result<void> Importer::importFile(const ImportOptions& options, const InputFile& file) {
  if (!file.sha256.empty()) {
    const FileDigest digest = TRY(digestOf(file.path));
    if (digest.sha256 != file.sha256)
      return Error::invalidArgument(file.path +
                                    ": is not the file that was exported (its SHA-256 "
                                    "differs); export again");
  }
  if (file.format == Format::kJsonLines) return importLines(options, file, file.path);
  const std::string lines_file = state_file_ + ".lines";
  Result<void> done = columnar::readParquet(file.path, lines_file, callColumns());
  if (done) done = importLines(options, file, lines_file);
  std::error_code ignored;
  fs::remove(lines_file, ignored);
  return done;
}

Result<void> Importer::importLines(const ImportOptions& options,
                                   const InputFile& file,
                                   const std::string& lines_file) {
  std::ifstream source(lines_file, std::ios::binary);
  if (!source.is_open()) return Error::unavailable(file.path + ": cannot be opened");
  const CallLineOptions line_options{options.project, options.keep_refs};
  Lines lines;
  std::size_t bytes = 0;
  std::string text;
  std::int64_t number = 0;
  while (std::getline(source, text)) {
    if (++number <= state_.line || text.find_first_not_of(" \r") == std::string::npos) continue;
    Result<ImportCall> call = readCallLine(std::move(text), line_options);
    if (!call) {
      // The calls before the bad line are valid. Send them now, so that the next run need not.
      TRY(flush(options, lines, number - 1));
      bytes = 0;
      TRY(reportBadLine(options, number, call.error().message()));
      continue;
    }
    bytes += call->json.size();
    lines.push_back({number, *std::move(call)});
    if (lines.size() < kBatchCalls && bytes < kBatchBytes) continue;
    TRY(flush(options, lines, number));
    bytes = 0;
  }
  if (source.bad()) return Error::unavailable(file.path + ": cannot be read");
  return flush(options, lines, number);
}

Result<void> Importer::flush(const ImportOptions& options, Lines& lines, std::int64_t last_line) {
  const auto started = std::stable_partition(lines.begin(), lines.end(),
                                             [](const Line& line) { return line.call.ended; });
  const Line* begin = lines.data();
  const Line* middle = begin + (started - lines.begin());
  TRY(sendEnded(options, begin, middle));
  for (const Line* line = middle; line != begin + lines.size(); ++line) {
    TRY(sendStarted(options, *line));
  }
  lines.clear();
  state_.line = std::max(state_.line, last_line);
  saveState();
  progress_.update(state_.calls + state_.skipped);
  return {};
}

Result<void> Importer::sendEnded(const ImportOptions& options,
                                 const Line* begin,
                                 const Line* end) {  // NOLINT(misc-no-recursion)
  if (begin == end) return {};
  std::string body = R"({"batch":[)";
  for (const Line* line = begin; line != end; ++line) {
    if (line != begin) body += ',';
    body += line->call.json;
  }
  body += "]}";
  const std::string path = pathInProject(options.project, "/calls/complete");
  const ApiResponse response =
      TRY(sendWithRetries(sleep_for_, [&] { return server_.post(path, body); }));
  if (response.ok()) {
    state_.calls += end - begin;
    return {};
  }
  if (!response.isInvalidRequest()) return toError(response);
  if (end - begin == 1) return reportBadLine(options, begin->number, reasonOf(response));
  // The response is about the whole batch: halving the batch finds the invalid calls.
  const Line* middle = begin + (end - begin) / 2;
  TRY(sendEnded(options, begin, middle));
  return sendEnded(options, middle, end);
}

Result<void> Importer::sendStarted(const ImportOptions& options, const Line& line) {
  const std::string path = pathInProject(options.project, "/call/start");
  const std::string body = R"({"start":)" + line.call.json + "}";
  const ApiResponse response =
      TRY(sendWithRetries(sleep_for_, [&] { return server_.post(path, body); }));
  if (response.isInvalidRequest()) return reportBadLine(options, line.number, reasonOf(response));
  if (!response.ok()) return toError(response);
  ++state_.calls;
  return {};
}

Result<void> Importer::reportBadLine(const ImportOptions& options,
                                     std::int64_t line,
                                     const std::string& reason) {
  const std::string text = state_.file + ":" + std::to_string(line) + ": " + reason;
  if (!options.skip_bad) return Error::invalidArgument(text + "\n(--skip-bad skips such lines)");
  ++state_.skipped;
  if (state_.skipped <= kMaxReportedBadLines) progress_.printLine("skipped " + text);
  return {};
}

}  // namespace spindle::transfer
