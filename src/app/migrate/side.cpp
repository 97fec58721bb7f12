#include "app/migrate/side.h"

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include "app/blobs/blob_stores.h"
#include "app/metadata/metadata_database.h"
#include "app/migrate/clickhouse_trace_rows.h"
#include "app/migrate/columnar_trace_rows.h"
#include "app/traces/clickhouse_tables.h"
#include "app/traces/columnar_families.h"
#include "backup/data_layout.h"
#include "config/loader.h"

namespace spindle::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSettingsEnding = ".toml";

/// Returns the variables with keys, which a data folder may depend on.
std::vector<config::NamedText> keyVariables() {
  std::vector<config::NamedText> variables = config::processEnvironment();
  std::erase_if(variables, [](const config::NamedText& each) {
    return each.name != "SPINDLE_SECRET_KEY" && each.name != "SPINDLE_ADMIN_API_KEY";
  });
  return variables;
}

config::Loaded loadFile(const std::string& name) {
  return config::load(name, {}, config::processEnvironment());
}

config::Loaded resolveFolder(const std::string& name) {
  return config::resolve({{{"storage.data_dir", name}}, keyVariables(), std::nullopt});
}

/// Returns the URI without user, password and parameters.
std::string withoutCredentials(std::string_view uri) {
  const std::size_t scheme = uri.find("://");
  if (scheme == std::string_view::npos) return "PostgreSQL";
  std::string_view rest = uri.substr(scheme + 3);
  rest = rest.substr(0, rest.find('?'));
  if (const std::size_t at = rest.rfind('@'); at != std::string_view::npos)
    rest = rest.substr(at + 1);
  return "postgresql://" + std::string(rest);
}

}  // namespace

config::Settings settingsOfSide(const std::string& name) {
  config::Loaded loaded = name.ends_with(kSettingsEnding) ? loadFile(name) : resolveFolder(name);
  if (!loaded.problems.empty())
    throw std::runtime_error(name + ":\n" + config::listProblems(loaded.problems));
  return std::move(loaded.settings);
}

Side::Side(std::string name,
           config::Settings settings,
           bool is_target,
           MetricRegistry& metrics,
           const Clock& clock)
    : name_(std::move(name)),
      settings_(std::move(settings)),
      is_target_(is_target),
      metrics_(metrics),
      clock_(clock) {
  const std::string path = settings_.storage.data_dir.string();
  std::error_code problem;
  if (!is_target_ && !fs::is_directory(path, problem)) {
    throw std::runtime_error("the data folder " + path + " of " + name_ + " does not exist");
  }
  folder_ = std::make_unique<storage::DataFolder>(fs::weakly_canonical(path).string());
}

std::string Side::metadataPlace() const {
  if (settings_.storage.usesPostgres())
    return withoutCredentials(settings_.storage.metadata.reveal());
  return folder_->fileAt(backup::kMetadataFile);
}

std::string Side::filesPlace() const {
  const config::FileSettings& files = settings_.files;
  if (!files.usesS3()) return folder_->fileAt(backup::kBlobsFolder);
  return files.s3_endpoint + "/" + files.s3_bucket + "/" + files.s3_prefix;
}

std::string Side::tracesPlace() const {
  const config::TraceSettings& traces = settings_.traces;
  if (!traces.usesClickHouse()) return folder_->fileAt(backup::kTracesFolder);
  return traces.clickhouse_url + "/" + traces.clickhouse_database;
}

std::unique_ptr<storage::Database> Side::openDatabase() const {
  return storage::Database::open(metadataOptions(settings_, *folder_), metrics_);
}

std::unique_ptr<storage::BlobStore> Side::openBlobs(storage::Database& database) const {
  config::FileSettings files = settings_.files;
  files.s3_cache = 0;
  const storage::DataFolder work(workFolder());
  return openBlobStoreForMove(files, *folder_, work.fileAt("blob-cache"), database, clock_);
}

std::unique_ptr<TraceRows> Side::openTraces(const storage::DataFolder& folder) const {
  if (settings_.traces.usesClickHouse())
    return std::make_unique<ClickHouseTraceRows>(settings_.traces, is_target_, metrics_, clock_);
  return std::make_unique<ColumnarTraceRows>(openColumnarStore(settings_, folder, metrics_),
                                             columnarFamilies(), clickHouseRowTables());
}

bool Side::hasKey() const {
  return storage::KeyRing::exists(*folder_, settings_.storage.secret_key);
}

storage::KeyRing Side::key() const {
  return storage::KeyRing::load(*folder_, settings_.storage.secret_key);
}

std::string Side::workFolder() const { return folder_->fileAt(backup::kMoveFolder); }

}  // namespace spindle::app
