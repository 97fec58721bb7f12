#include "columnar/journal/store_record.h"

#include <filesystem>
#include <sstream>
#include <system_error>

#include <zlib.h>

#include "columnar/journal/disk_space.h"
#include "columnar/journal/file.h"
#include "columnar/journal/log.h"

namespace spindle::columnar {
namespace {

constexpr std::string_view kTitle = "spindle-trace-store 1";
constexpr std::size_t kMostBytes = 4096;

std::string contentOf(const StoreRecord& record) {
  std::ostringstream text;
  text << kTitle << "\ngeneration " << record.generation << "\nnext_row " << record.next_row
       << "\nnext_partition " << record.next_partition << '\n';
  return text.str();
}

std::string checksumLine(const std::string& content) {
  const auto sum = ::crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size());
  return "checksum " + std::to_string(sum) + "\n";
}

std::optional<StoreRecord> parse(const std::string& text) {
  std::istringstream in(text);
  std::string line;
  std::getline(in, line);
  StoreRecord record;
  std::string generation;
  std::string row;
  std::string partition;
  in >> generation >> record.generation >> row >> record.next_row >> partition >>
      record.next_partition;
  if (!in || line != kTitle) return std::nullopt;
  const std::string content = contentOf(record);
  if (text != content + checksumLine(content)) return std::nullopt;
  return record;
}

}  // namespace

std::string recordPath(const std::string& folder) { return folder + "/traces.record"; }

std::optional<StoreRecord> loadRecord(const std::string& folder) {
  const std::string path = recordPath(folder);
  if (!std::filesystem::exists(path)) return std::nullopt;
  std::optional<StoreRecord> record;
  if (std::filesystem::is_regular_file(path)) record = parse(openFile(path)->read(0, kMostBytes));
  if (!record) kLog.error("record_damaged", {{"kept_as", moveToDamaged(path)}});
  return record;
}

Result<void> saveRecord(const std::string& folder, const StoreRecord& record) {
  const std::string path = recordPath(folder);
  const std::string unfinished = path + ".new";
  const std::string content = contentOf(record);
  try {
    std::filesystem::remove(unfinished);
    const int problem = createFile(unfinished)->write(0, content + checksumLine(content));
    if (problem != 0) throw std::system_error(problem, std::generic_category(), unfinished);
    publishFile(unfinished, path);
  } catch (const std::system_error& problem) {
    kLog.error("record_failed", {{"message", problem.what()}});
    if (isDiskFull(problem.code().value())) return diskFull();
    return Error::unavailable("The trace store cannot write to its disk.");
  }
  return {};
}

}  // namespace spindle::columnar
