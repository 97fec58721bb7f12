#include <algorithm>
#include <iterator>
#include <variant>

#include "http/router/route_group.h"
#include "json/writer.h"
#include "objects/api/caller_project.h"
#include "objects/api/name_codecs.h"
#include "objects/api/objects_api.h"
#include "objects/api/single_member.h"
#include "objects/store/table_repository.h"
#include "objects/values/digest.h"
#include "objects/values/new_value.h"
#include "schema/scalar.h"

namespace spindle::objects {
namespace {

using http::Context;
using schema::list, schema::Record, schema::string;

/// Enough for the digests of a million rows.
constexpr std::size_t kDigestListBody = 64UL * 1024 * 1024;
/// Limit of the rows that the updates of one request move. An insertion at the front of a long
/// table moves all its rows.
constexpr std::size_t kMaxMovedRows = 500'000'000;

struct NewTableBody {
  std::string project_id;
  std::vector<json::Text> rows;
  std::optional<std::string> expected_digest;
};
struct TableCreateReply {
  std::string digest;
  Texts row_digests;
};

struct Append {
  json::Text row;
};
struct Pop {
  std::int64_t index = 0;
};
struct Insert {
  std::int64_t index = 0;
  json::Text row;
};
using Update = std::variant<Only<Append>, Only<Pop>, Only<Insert>>;

struct UpdateBody {
  std::string project_id;
  std::string base_digest;
  std::vector<Update> updates;
};
struct UpdateReply {
  std::string digest;
  Texts updated_row_digests;
};

struct FromDigestsBody {
  std::string project_id;
  Texts row_digests;
  std::optional<std::string> expected_digest;
};

schema::Codec<Only<NewTableBody>> tableCreateCodec() {
  using B = NewTableBody;
  schema::Record<B> table = projectRecord<B>("NewTable");
  table.required("rows", &B::rows, list(schema::jsonObject()), "One object for each row.");
  return only("TableCreateRequest", "table", addExpectedDigest(table).codec());
}

schema::Codec<TableCreateReply> tableCreatedCodec() {
  return Record<TableCreateReply>("TableCreateReply")
      .required("digest", &TableCreateReply::digest, string(), "Digest of the table.")
      .required("row_digests", &TableCreateReply::row_digests, list(string()), "In order.")
      .codec();
}

template <class T>
schema::Alternative<Only<T>> updateNamed(const std::string& name,
                                         std::string_view member,
                                         const schema::Codec<T>& update) {
  return {name, only(name, member, update)};
}

schema::Codec<Update> updateItemCodec() {
  const schema::Codec<Append> append =
      Record<Append>("TableAppend").required("row", &Append::row, schema::jsonObject()).codec();
  const schema::Codec<Pop> pop =
      Record<Pop>("TablePop").required("index", &Pop::index, schema::integer()).codec();
  const schema::Codec<Insert> insert =
      Record<Insert>("TableInsert")
          .required("index", &Insert::index, schema::integer(), "Position of the new row.")
          .required("row", &Insert::row, schema::jsonObject())
          .codec();
  return schema::anyOf(updateNamed("TableAppendSpec", "append", append),
                       updateNamed("TablePopSpec", "pop", pop),
                       updateNamed("TableInsertSpec", "insert", insert));
}

schema::Codec<UpdateBody> updateCodec() {
  using B = UpdateBody;
  return projectRecord<B>("TableUpdateRequest")
      .required("base_digest", &B::base_digest, string(), "Digest of the table to change.")
      .required("updates", &B::updates, list(updateItemCodec()), "Applied in order.")
      .codec();
}

schema::Codec<UpdateReply> updatedCodec() {
  return Record<UpdateReply>("TableUpdateReply")
      .required("digest", &UpdateReply::digest, string(), "Digest of the new table.")
      .required("updated_row_digests", &UpdateReply::updated_row_digests, list(string()),
                "Digest of the row that each update added or removed.")
      .codec();
}

schema::Codec<FromDigestsBody> fromDigestsCodec() {
  using B = FromDigestsBody;
  schema::Record<B> record = projectRecord<B>("TableFromDigestsRequest");
  record.required("row_digests", &B::row_digests, list(string()), "Digests of stored rows.");
  return addExpectedDigest(record).codec();
}

Result<TableCreateReply> createTable(const ObjectServices& services,
                                     const Context& context,
                                     const NewTableBody& body) {
  CallerProject project = TRY(writableProject(services, context, body.project_id));
  std::vector<NewRow> rows;
  TableCreateReply reply;
  for (const json::Text& row : body.rows) {
    NewRow stored = TRY(newRow(row.json, project.projects));
    reply.row_digests.push_back(stored.digest);
    rows.push_back(std::move(stored));
  }
  reply.digest = tableDigest(reply.row_digests);
  TRY(checkDigest(body.expected_digest, reply.digest, "table"));
  TRY(services.tables.create(project.id, reply.digest, reply.row_digests, rows));
  return reply;
}

/// A table to which updates are applied.
class TableEdit {
 public:
  TableEdit(CallerProject& project, Texts row_digests)
      : project_(project), digests_(std::move(row_digests)) {}

  Result<void> apply(const Append& append) {
    return add(static_cast<std::int64_t>(digests_.size()), append.row);
  }
  Result<void> apply(const Insert& insert) { return add(insert.index, insert.row); }
  Result<void> apply(const Pop& pop) {
    if (pop.index == static_cast<std::int64_t>(digests_.size())) return outOfRange();
    TRY(checkIndex(pop.index));
    TRY(countMoved(pop.index));
    const auto popped = digests_.begin() + static_cast<std::ptrdiff_t>(pop.index);
    touched_.push_back(std::move(*popped));
    digests_.erase(popped);
    return {};
  }

  const Texts& digests() const { return digests_; }
  const std::vector<NewRow>& rows() const { return rows_; }
  Texts& touched() { return touched_; }

 private:
  Result<void> add(std::int64_t index, const json::Text& row) {
    TRY(checkIndex(index));
    TRY(countMoved(index));
    NewRow stored = TRY(newRow(row.json, project_.projects));
    digests_.insert(digests_.begin() + static_cast<std::ptrdiff_t>(index), stored.digest);
    touched_.push_back(stored.digest);
    rows_.push_back(std::move(stored));
    return {};
  }
  /// A row may be inserted directly after the last one.
  Result<void> checkIndex(std::int64_t index) const {
    if (index >= 0 && index <= static_cast<std::int64_t>(digests_.size())) return {};
    return outOfRange();
  }
  /// Counts the rows at and after a position.
  Result<void> countMoved(std::int64_t index) {
    moved_ += digests_.size() - static_cast<std::size_t>(index);
    if (moved_ <= kMaxMovedRows) return {};
    return Error(ErrorCode::kTooLarge,
                 "The updates move too many rows of the table. Send fewer at a time, or create a "
                 "new table.");
  }
  static Error outOfRange() { return Error::invalidArgument("Index out of range"); }

  CallerProject& project_;
  Texts digests_;
  std::vector<NewRow> rows_;
  Texts touched_;
  std::size_t moved_ = 0;
};

Result<UpdateReply> updateTable(const ObjectServices& services,
                                const Context& context,
                                const UpdateBody& body) {
  CallerProject project = TRY(changeableProject(services, context, body.project_id));
  Texts base = TRY(services.tables.rowDigests(project.id, body.base_digest));
  TableEdit edit(project, std::move(base));
  for (const Update& update : body.updates) {
    TRY(std::visit([&edit](const auto& one) { return edit.apply(one.value); }, update));
  }
  UpdateReply reply;
  reply.digest = tableDigest(edit.digests());
  reply.updated_row_digests = std::move(edit.touched());
  TRY(services.tables.create(project.id, reply.digest, edit.digests(), edit.rows()));
  return reply;
}

Result<Only<std::string>> createFromDigests(const ObjectServices& services,
                                            const Context& context,
                                            const FromDigestsBody& body) {
  const CallerProject project = TRY(writableProject(services, context, body.project_id));
  std::string digest = tableDigest(body.row_digests);
  TRY(checkDigest(body.expected_digest, digest, "table"));
  TRY(services.tables.create(project.id, digest, body.row_digests, {}));
  return Only<std::string>{std::move(digest)};
}

}  // namespace

void addTableRoutes(ObjectRoutes routes) {
  routes.setTag("tables");
  routes.post(
      "/table/create", {"createTable", "Create a table"},
      {.body = tableCreateCodec(), .reply = tableCreatedCodec()},
      [](const ObjectServices& services, const Context& context, const Only<NewTableBody>& body) {
        return createTable(services, context, body.value);
      });
  routes.post("/table/update", {"updateTable", "Create a modified copy of a table"},
              {.body = updateCodec(), .reply = updatedCodec()}, updateTable);
  http::RoutePolicy roomy = routes.policy();
  roomy.body_limit = std::max(routes.policy().body_limit, kDigestListBody);
  routes.with(roomy).post(
      "/table/create_from_digests",
      {"createTableFromDigests", "Create a table of stored rows",
       "Responses omit rows until they are stored."},
      {.body = fromDigestsCodec(),
       .reply = only("TableFromDigestsReply", "digest", string(), "Digest of the table.")},
      createFromDigests);
}

}  // namespace spindle::objects
