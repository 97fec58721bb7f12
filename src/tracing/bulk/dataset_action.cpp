#include "tracing/bulk/dataset_action.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "json/document.h"
#include "json/stored.h"
#include "json/writer.h"
#include "objects/store/object_repository.h"
#include "objects/store/table_repository.h"
#include "objects/values/digest.h"
#include "objects/values/label.h"
#include "objects/values/new_value.h"
#include "objects/values/object_id.h"
#include "objects/values/ref.h"
#include "schema/compound.h"
#include "schema/parse.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "tracing/bulk/dataset_row.h"
#include "tracing/store/call_store.h"

namespace spindle::tracing {
namespace {

using objects::NewRow, objects::ObjectVersion;

constexpr std::size_t kMaxColumns = 100;
/// Rows are stored when they have this many bytes, so that a batch fits into memory.
constexpr std::size_t kMaxPendingBytes = 8UL << 20;

struct DatasetParameters {
  std::string dataset;
  std::optional<schema::MapOf<std::string>> columns;
};

const schema::Codec<DatasetParameters>& datasetParametersCodec() {
  static const schema::Codec<DatasetParameters> codec =
      schema::Record<DatasetParameters>("BulkAddToDataset", schema::Extra::kForbid)
          .required("dataset", &DatasetParameters::dataset,
                    schema::string({.min_length = 1, .max_length = 128}))
          .optional(
              "columns", &DatasetParameters::columns,
              schema::nullable(schema::map(schema::string({.min_length = 1, .max_length = 512}))))
          .codec();
  return codec;
}

/// The parameters of a job, parsed.
struct DatasetPlan {
  std::string dataset;
  std::vector<DatasetColumn> columns;
};

Result<DatasetPlan> planOf(std::string_view parameters) {
  const DatasetParameters wanted =
      TRY(schema::parse(datasetParametersCodec(), std::string(parameters), "parameters"));
  DatasetPlan plan{wanted.dataset, {}};
  const schema::MapOf<std::string> columns = wanted.columns.value_or(
      schema::MapOf<std::string>{{"inputs", "inputs"}, {"output", "output"}});
  if (columns.empty() || columns.size() > kMaxColumns) {
    return Error::invalidArgument("A dataset has 1 to " + std::to_string(kMaxColumns) +
                                  " columns.");
  }
  for (const auto& [name, path] : columns) {
    DatasetColumn column = TRY(datasetColumn(name, path));
    plan.columns.push_back(std::move(column));
  }
  return plan;
}

std::string tableRef(const std::string& project_id, const std::string& digest) {
  objects::Ref ref;
  ref.scheme = wire::RefScheme::kInternal;
  ref.project = project_id;
  ref.kind = objects::RefKind::kTable;
  ref.name = digest;
  return objects::printRef(ref);
}

/// Returns the digest of the table of a dataset. @return kInvalidArgument for another object.
Result<std::string> tableOf(const ObjectVersion& version, const std::string& project_id) {
  const json::Document document = json::parseStored(version.value);
  const Error other = Error::invalidArgument("The object '" + version.object_id +
                                             "' is not a dataset of this project.");
  if (!document.root().isObject()) return other;
  const std::optional<json::Node> rows = document.root().find("rows");
  if (!rows || !rows->isString()) return other;
  const Result<objects::Ref> ref = objects::parseRef(rows->text());
  if (!ref || ref->kind != objects::RefKind::kTable || ref->project != project_id) return other;
  return ref->name;
}

/// Returns the value of a dataset with other rows; all other members stay.
std::string withRows(const std::string& value, const std::string& rows) {
  const json::Document document = json::parseStored(value);
  std::string text;
  json::Writer out(text);
  out.beginObject();
  for (auto at = document.root().begin(); at != document.root().end(); ++at) {
    const std::string name = (*at).text();
    ++at;
    out.key(name);
    name == "rows" ? out.string(rows) : out.raw((*at).raw());
  }
  out.endObject();
  return text;
}

std::string newDatasetValue(const std::string& name, const std::string& rows) {
  std::string text;
  json::Writer out(text);
  out.beginObject();
  out.key("_type").string("Dataset");
  out.key("_class_name").string("Dataset");
  out.key("_bases").beginArray().string("Object").string("BaseModel").endArray();
  out.key("name").string(name);
  out.key("description").null();
  out.key("rows").string(rows);
  out.endObject();
  return text;
}

/// Returns the object if it exists.
Result<std::optional<ObjectVersion>> findVersion(objects::ObjectRepository& objects,
                                                 const std::string& project_id,
                                                 const std::string& name,
                                                 std::string_view version) {
  Result<ObjectVersion> found = objects.find(project_id, name, version, true);
  if (found) return std::optional<ObjectVersion>(*std::move(found));
  if (found.error().code() == ErrorCode::kNotFound) return std::optional<ObjectVersion>();
  return found.error();
}

/// Rows of a batch, stored in parts.
class RowWriter {
 public:
  RowWriter(objects::TableRepository& tables, const std::string& project_id)
      : tables_(tables), project_id_(project_id) {}

  Result<void> add(NewRow row) {
    digests_ += row.digest + "\n";
    pending_bytes_ += row.value.size();
    pending_.push_back(std::move(row));
    if (pending_bytes_ < kMaxPendingBytes) return {};
    return flush();
  }
  Result<void> flush() {
    if (pending_.empty()) return {};
    std::vector<std::string> digests;
    for (const NewRow& row : pending_) digests.push_back(row.digest);
    TRY(tables_.create(project_id_, objects::tableDigest(digests), digests, pending_));
    pending_.clear();
    pending_bytes_ = 0;
    return {};
  }
  /// Digests of all rows, each followed by a line break.
  std::string& digests() { return digests_; }

 private:
  objects::TableRepository& tables_;
  const std::string& project_id_;
  std::vector<NewRow> pending_;
  std::size_t pending_bytes_ = 0;
  std::string digests_;
};

std::vector<std::string> linesOf(const std::vector<std::string>& texts) {
  std::vector<std::string> lines;
  for (const std::string& text : texts) {
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = text.find('\n', begin);
      lines.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return lines;
}

}  // namespace

Result<std::string> DatasetAction::prepare(const BulkScope& scope,
                                           std::string_view parameters) const {
  const DatasetPlan plan = TRY(planOf(parameters));
  TRY(objects::checkObjectId(plan.dataset));
  const std::optional<ObjectVersion> latest =
      TRY(findVersion(ports_.objects, scope.project.id, plan.dataset, objects::kLatest));
  if (latest) {
    TRY(tableOf(*latest, scope.project.id));
  }
  return std::string(parameters);
}

Result<BulkResult> DatasetAction::apply(const BulkWork& work,
                                        const std::vector<std::string>& call_ids) const {
  const DatasetPlan plan = TRY(planOf(work.parameters));
  const ProjectScope& project = work.scope.project;
  const std::unique_ptr<objects::RefProjects> projects = ports_.ref_projects(work.scope.user_id);
  const std::unique_ptr<CallView> view = TRY(ports_.calls.view(project));
  CallQuery selection;
  selection.filter.call_ids = call_ids;
  RowWriter rows(ports_.tables, project.id);
  std::int64_t added = 0;
  {
    const std::unique_ptr<CallReader> reader =
        TRY(view->read(selection, CallPage{}, datasetCallColumns()));
    while (true) {
      const std::vector<Call> calls = TRY(reader->next());
      if (calls.empty()) break;
      for (const Call& call : calls) {
        Result<NewRow> row = objects::newRow(datasetRow(call, project, plan.columns), *projects);
        // A reference that the user cannot read makes the row invalid, not the job.
        if (!row && row.error().code() == ErrorCode::kInvalidArgument) continue;
        if (!row) return row.error();
        TRY(rows.add(*std::move(row)));
        ++added;
      }
    }
  }
  TRY(rows.flush());
  return BulkResult{static_cast<std::int64_t>(call_ids.size()) - added, std::move(rows.digests())};
}

Result<void> DatasetAction::finish(const BulkWork& work, const BulkEnd& end) const {
  const DatasetPlan plan = TRY(planOf(work.parameters));
  const std::string& project_id = work.scope.project.id;
  const std::vector<std::string> added = linesOf(end.results);
  if (added.empty()) return {};
  const std::optional<ObjectVersion> latest =
      TRY(findVersion(ports_.objects, project_id, plan.dataset, objects::kLatest));
  const std::string before = latest ? latest->digest : std::string();
  // The note names the version that this job published before a crash, and its predecessor. If that
  // is still the latest one, the version may be an older one with the same content: publish it.
  if (const std::vector<std::string> noted = linesOf({end.note});
      noted.size() == 2 && noted[1] != before) {
    const std::optional<ObjectVersion> published =
        TRY(findVersion(ports_.objects, project_id, plan.dataset, noted[0]));
    if (published) return {};
  }
  std::vector<std::string> rows;
  if (latest) {
    const std::string table = TRY(tableOf(*latest, project_id));
    std::vector<std::string> known = TRY(ports_.tables.rowDigests(project_id, table));
    rows = std::move(known);
  }
  rows.insert(rows.end(), added.begin(), added.end());
  const std::string table = objects::tableDigest(rows);
  TRY(ports_.tables.create(project_id, table, rows, {}));
  const std::string ref = tableRef(project_id, table);
  const objects::NewObject object =
      objects::newObject(project_id, plan.dataset,
                         latest ? withRows(latest->value, ref) : newDatasetValue(plan.dataset, ref),
                         work.scope.user_id);
  std::string note = object.digest;
  TRY(end.save(note.append("\n").append(before).append("\n")));
  return ports_.objects.publish(object);
}

}  // namespace spindle::tracing
