#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/result.h"
#include "base/core/sql_text.h"
#include "identity/store/page.h"
#include "storage/database/database.h"

namespace spindle::identity {

/// A SELECT and the records that its rows hold:
///
///     selectTeams().one(session, "WHERE t.name = ?", {name});
///
/// Immutable after construction and therefore thread-safe. Every method may also return
/// kUnavailable.
template <class Record>
class RowQuery {
 public:
  using Read = Record (*)(const storage::Row& row);

  /// `select` is everything before the condition. `missing` is the message about a row that does
  /// not exist; it must outlive this object.
  RowQuery(SqlView select, Read read, std::string_view missing)
      : select_(select + " "), read_(read), missing_(missing) {}

  /// Returns the record of the first row that `tail` selects. @return kNotFound.
  Result<Record> one(storage::Session& session, SqlView tail, const storage::Params& params) const {
    const std::optional<storage::Row> row = TRY(session.queryOne(select_ + tail, params));
    if (!row.has_value()) return Error::notFound(std::string(missing_));
    return read_(*row);
  }
  Result<Record> one(storage::Database& database,
                     SqlView tail,
                     const storage::Params& params) const {
    return database.read([&](storage::Session& session) { return one(session, tail, params); });
  }

  Result<std::vector<Record>> all(storage::Database& database,
                                  SqlView tail,
                                  const storage::Params& params) const {
    return database.read([&](storage::Session& session) {
      return collectRows(session.query(select_ + tail, params), read_);
    });
  }

  /// Returns a page. `tail` ends with `id < ? ORDER BY id DESC LIMIT ?`; `params` are the
  /// parameters before these two.
  template <class IdOf>
  Result<Page<Record>> page(storage::Database& database,
                            SqlView tail,
                            storage::Params params,
                            const PageRequest& request,
                            IdOf id_of) const {
    params.emplace_back(request.below());
    params.emplace_back(request.limit + 1);
    std::vector<Record> records = TRY(all(database, tail, params));
    return pageOf(std::move(records), request.limit, id_of);
  }
  /// For records with an `id`.
  Result<Page<Record>> page(storage::Database& database,
                            SqlView tail,
                            storage::Params params,
                            const PageRequest& request) const {
    return page(database, tail, std::move(params), request,
                [](const Record& record) { return record.id; });
  }

 private:
  SqlText select_;
  Read read_;
  std::string_view missing_;
};

}  // namespace spindle::identity
