#include "tracing/store/ref_expansion.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "columnar/store/snapshot.h"
#include "tracing/ingest/json_path.h"
#include "wire/spelling.h"

namespace spindle::tracing {
namespace {

using Path = std::vector<std::string>;

constexpr std::size_t kMaxRefs = 20'000;

bool isProperPrefix(const Path& prefix, const Path& path) {
  return prefix.size() < path.size() && std::equal(prefix.begin(), prefix.end(), path.begin());
}

bool isInternalRef(std::string_view text) {
  return wire::splitRef(text).scheme == wire::RefScheme::kInternal;
}

Result<std::vector<Path>> pathsOf(const std::vector<std::string>& texts) {
  std::vector<Path> paths;
  for (const std::string& text : texts) {
    Path path = TRY(query::splitPath(text));
    if (path.size() >= 2) paths.push_back(std::move(path));
  }
  return paths;
}

/// Returns the different references that calls contain at a path.
Result<std::vector<std::string>> refsAt(const TextsAt& texts_at, SqlName column, const Path& path) {
  std::vector<std::string> refs = TRY(texts_at(column, path, kMaxRefs + 1));
  std::erase_if(refs, [](const std::string& text) { return !isInternalRef(text); });
  if (refs.size() > kMaxRefs)
    return Error::invalidArgument("Too many different references to expand: narrow the query");
  return refs;
}

/// Replaces refs by their values; drops refs without a value.
Result<void> resolve(ExpandedRefs& expanded,
                     const std::vector<std::string>& wanted,
                     std::string_view project_id,
                     RefValues& values) {
  std::vector<std::optional<std::string>> found = TRY(values.valuesOf(project_id, wanted));
  ExpandedRefs kept;
  kept.path = std::move(expanded.path);
  kept.column = expanded.column;
  kept.place = std::move(expanded.place);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!found[i]) continue;
    kept.refs.push_back(std::move(expanded.refs[i]));
    kept.values.push_back(*std::move(found[i]));
  }
  expanded = std::move(kept);
  return {};
}

/// Expands one level deeper: the references that the values of `outer` contain.
Result<ExpandedRefs> deeper(const ExpandedRefs& outer,
                            const Path& path,
                            std::string_view project_id,
                            RefValues& values) {
  const Path inside(path.begin() + static_cast<std::ptrdiff_t>(outer.path.size()), path.end());
  ExpandedRefs inner;
  inner.path = path;
  inner.column = outer.column;
  inner.place = outer.place;
  std::vector<std::string> wanted;
  for (std::size_t i = 0; i < outer.refs.size(); ++i) {
    std::optional<std::string> ref = stringAt(outer.values[i], inside);
    if (!ref || !isInternalRef(*ref)) continue;
    inner.refs.push_back(outer.refs[i]);
    wanted.push_back(*std::move(ref));
  }
  TRY(resolve(inner, wanted, project_id, values));
  return inner;
}

}  // namespace

Result<std::vector<ExpandedRefs>> expandRefs(const TextsAt& texts_at,
                                             std::string_view project_id,
                                             const std::vector<std::string>& expand_columns,
                                             const std::set<std::string>& used,
                                             RefValues& values) {
  std::vector<Path> places = TRY(pathsOf(expand_columns));
  std::vector<Path> fields = TRY(pathsOf({used.begin(), used.end()}));
  std::erase_if(places, [&fields](const Path& place) {
    return std::none_of(fields.begin(), fields.end(),
                        [&place](const Path& field) { return isProperPrefix(place, field); });
  });
  std::sort(places.begin(), places.end(),
            [](const Path& a, const Path& b) { return a.size() < b.size(); });
  places.erase(std::unique(places.begin(), places.end()), places.end());
  if (places.size() > kMaxExpansions)
    return Error::invalidArgument("At most 10 expand_columns can be used in one query");

  std::vector<ExpandedRefs> all;
  for (const Path& place : places) {
    const auto outer = std::find_if(all.rbegin(), all.rend(), [&place](const ExpandedRefs& known) {
      return isProperPrefix(known.path, place);
    });
    if (outer != all.rend()) {
      ExpandedRefs inner = TRY(deeper(*outer, place, project_id, values));
      all.push_back(std::move(inner));
      continue;
    }
    const std::optional<SqlName> column = payloadColumn(place.front());
    if (!column) {
      return Error(ErrorCode::kUnprocessable, "expand_columns: " + place.front() +
                                                  " is not a column that holds references. Use a "
                                                  "path below inputs, output, attributes or "
                                                  "summary.");
    }
    ExpandedRefs expanded;
    expanded.path = place;
    expanded.column = *column;
    expanded.place.assign(place.begin() + 1, place.end());
    std::vector<std::string> refs = TRY(refsAt(texts_at, *column, expanded.place));
    expanded.refs = refs;
    TRY(resolve(expanded, refs, project_id, values));
    all.push_back(std::move(expanded));
  }
  return all;
}

TextsAt textsIn(columnar::Snapshot& snapshot, SqlText from) {
  return [&snapshot, from = std::move(from)](SqlName column, const Path& path, std::size_t limit) {
    query::Sql sql("SELECT DISTINCT json_extract_string(c." + SqlText(column) + ", ");
    sql.param(query::pointerOf(path))
        .add(") AS ref FROM ")
        .add(from)
        .add(" AS c WHERE c.presence = 1 AND contains(c." + SqlText(column) +
             ", '-internal:///') LIMIT " + SqlText::number(limit));
    return collectRows(snapshot.query(sql.text, sql.params),
                       [](const columnar::Cursor& row) { return std::string(row.text(0)); });
  };
}

}  // namespace spindle::tracing
