#include <memory>

#include "http/router/route_group.h"
#include "objects/api/array_stream.h"
#include "objects/api/caller_project.h"
#include "objects/api/list_body.h"
#include "objects/api/name_codecs.h"
#include "objects/api/objects_api.h"
#include "objects/api/single_member.h"
#include "objects/store/row_sorter.h"
#include "objects/store/table_reader.h"
#include "objects/store/table_repository.h"

namespace spindle::objects {
namespace {

using http::Context, http::Nothing, http::Reply;
using schema::integer, schema::list, schema::nullable, schema::Record, schema::string;

struct RowFilterBody {
  std::optional<Texts> row_digests;
};
struct TableQueryBody : ListBody {
  std::string project_id;
  std::string digest;
  std::optional<RowFilterBody> filter;
};
struct RowView {
  std::string digest;
  json::Text val;
  std::int64_t original_index = 0;
};

struct StatsBatchBody {
  std::string project_id;
  std::optional<Texts> digests = Texts();
  std::optional<bool> include_storage_size = false;
};

schema::Codec<TableQueryBody> tableQueryCodec() {
  using B = TableQueryBody;
  const schema::Codec<RowFilterBody> filter =
      Record<RowFilterBody>("TableRowFilter")
          .optional("row_digests", &RowFilterBody::row_digests, nullable(list(string())),
                    "Any of these.")
          .codec();
  Record<B> record = projectRecord<B>("TableQueryRequest");
  record.required("digest", &B::digest, string(), "Digest of the table.")
      .optional("filter", &B::filter, nullable(filter));
  return addListMembers(record, "Paths into the rows.").codec();
}

schema::Codec<RowView> rowCodec() {
  return Record<RowView>("TableRow")
      .required("digest", &RowView::digest, string(), "Digest of the row.")
      .required("val", &RowView::val, schema::anyJson())
      .required("original_index", &RowView::original_index, integer(),
                "Position in the table, from 0.")
      .codec();
}

schema::Codec<StatsBatchBody> statsBatchCodec() {
  using B = StatsBatchBody;
  return projectRecord<B>("TableStatsBatchRequest")
      .optional("digests", &B::digests, nullable(list(string())), "Unknown ones are omitted.")
      .optional("include_storage_size", &B::include_storage_size, nullable(schema::boolean()))
      .codec();
}

schema::Codec<Only<std::vector<TableStats>>> statsBatchReplyCodec() {
  using V = TableStats;
  const schema::Codec<V> table = Record<V>("TableStats")
                                     .required("count", &V::count, integer(), "Rows.")
                                     .required("digest", &V::digest, string())
                                     .optional("storage_size_bytes", &V::size_bytes,
                                               nullable(integer()), "Present on request.")
                                     .codec();
  return only("TableStatsBatchReply", "tables", list(table));
}

Result<TableQuery> tableQueryOf(const TableQueryBody& body) {
  TRY(checkPaging(body.limit, body.offset));
  TableQuery query;
  if (body.filter) query.row_digests = body.filter->row_digests;
  body.setPage(query);
  for (const SortBody& sort : body.sortKeys()) {
    std::vector<std::string> path = TRY(sortPath(sort.field));
    query.order.push_back({std::move(path), sort.descending()});
  }
  return query;
}

/// Streams the rows of a response to the client in batches.
class RowList {
 public:
  RowList(TableRepository& tables,
          CallerProject project,
          const std::string& digest,
          TableQuery query,
          wire::Spelling spelling)
      : project_(std::move(project)),
        reader_(tables, project_.id, digest, std::move(query)),
        spelling_(spelling) {}

  Result<bool> next(json::Writer& items) {
    if (!project_.exists()) return false;
    std::vector<TableRow> rows = TRY(reader_.next());
    for (TableRow& row : rows) {
      TRY(externalizeRefs(row.value, project_.projects, spelling_));
      codec_.write({std::move(row.digest), {std::move(row.value)}, row.index}, items, spelling_);
    }
    return !rows.empty();
  }

 private:
  CallerProject project_;
  TableReader reader_;
  wire::Spelling spelling_;
  schema::Codec<RowView> codec_ = rowCodec();
};

Result<Reply<Nothing>> queryTable(const ObjectServices& services,
                                  const Context& context,
                                  const TableQueryBody& body) {
  CallerProject project = TRY(readableProject(services, context, body.project_id));
  TableQuery query = TRY(tableQueryOf(body));
  auto rows = std::make_shared<RowList>(services.tables, std::move(project), body.digest,
                                        std::move(query), context.spelling());
  return arrayReply("rows", [rows](json::Writer& items) { return rows->next(items); });
}

Result<std::vector<TableStats>> statsOf(const ObjectServices& services,
                                        const Context& context,
                                        const std::string& project_id,
                                        const Texts& digests,
                                        bool with_sizes) {
  const CallerProject project = TRY(readableProject(services, context, project_id));
  return services.tables.stats(project.id, digests, with_sizes);
}

Result<Only<std::int64_t>> tableStats(const ObjectServices& services,
                                      const Context& context,
                                      const DigestBody& body) {
  const std::vector<TableStats> stats =
      TRY(statsOf(services, context, body.project_id, {body.digest}, false));
  return Only<std::int64_t>{stats.empty() ? 0 : stats.front().count};
}

Result<Only<std::vector<TableStats>>> tableStatsBatch(const ObjectServices& services,
                                                      const Context& context,
                                                      const StatsBatchBody& body) {
  std::vector<TableStats> stats =
      TRY(statsOf(services, context, body.project_id, body.digests.value_or(Texts()),
                  body.include_storage_size.value_or(false)));
  return Only<std::vector<TableStats>>{std::move(stats)};
}

}  // namespace

void addTableQueryRoutes(ObjectRoutes routes) {
  routes.setTag("tables");
  replyWithArray(
      routes.post("/table/query",
                  {"queryTable", "Read rows of a table",
                   "In the order of the table unless sorted. An unknown table has no rows."},
                  {.body = tableQueryCodec()}, queryTable),
      only("TableQueryReply", "rows", list(rowCodec())).type());
  routes.post("/table/query_stats",
              {"tableStats", "Count the rows of a table", "An unknown table has no rows."},
              {.body = digestBodyCodec("TableStatsRequest", "Digest of the table."),
               .reply = only("TableStatsReply", "count", integer())},
              tableStats);
  routes.post("/table/query_stats_batch", {"tableStatsBatch", "Count the rows of several tables"},
              {.body = statsBatchCodec(), .reply = statsBatchReplyCodec()}, tableStatsBatch);
}

}  // namespace spindle::objects
