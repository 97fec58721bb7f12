#include "tracing/store/call_fields.h"

#include <algorithm>
#include <array>
#include <utility>

namespace spindle::tracing {
namespace {

using query::Dialect, query::Field, query::FieldCase, query::FieldKind, query::Sql;

struct PlainField {
  std::string_view name;
  FieldKind kind;
  SqlView sql;
};

constexpr std::array kPlainFields = {
    PlainField{"id", FieldKind::kText, "c.id"},
    PlainField{"trace_id", FieldKind::kText, "c.trace_id"},
    PlainField{"parent_id", FieldKind::kText, "c.parent_id"},
    PlainField{"thread_id", FieldKind::kText, "c.thread_id"},
    PlainField{"turn_id", FieldKind::kText, "c.turn_id"},
    PlainField{"op_name", FieldKind::kText, "c.op_name"},
    PlainField{"display_name", FieldKind::kText, "c.display_name"},
    PlainField{"started_at", FieldKind::kTime, "c.started_at"},
    PlainField{"ended_at", FieldKind::kTime, "c.ended_at"},
    PlainField{"exception", FieldKind::kText, "c.exception"},
    PlainField{"svc_user_id", FieldKind::kText, "c.user_id"},
    PlainField{"svc_run_id", FieldKind::kText, "c.run_id"},
    PlainField{"svc_run_step", FieldKind::kInteger, "c.run_step"},
    PlainField{"svc_run_step_end", FieldKind::kInteger, "c.run_step_end"},
    PlainField{"expire_at", FieldKind::kTime, "c.expire_at"},
    PlainField{"input_refs", FieldKind::kTexts, "c.input_refs"},
    PlainField{"output_refs", FieldKind::kTexts, "c.output_refs"},
};

constexpr std::array<SqlName, 4> kPayloads = {"inputs", "output", "attributes", "summary"};

constexpr SqlView kStatus =
    "(CASE WHEN c.exception IS NOT NULL THEN 'error' WHEN c.descendant_errors > 0 THEN "
    "'descendant_error' WHEN c.ended_at IS NULL THEN 'running' ELSE 'success' END)";
constexpr std::array kStatusCases = {
    FieldCase{"error", "c.exception IS NOT NULL"},
    FieldCase{"descendant_error", "c.exception IS NULL AND c.descendant_errors > 0"},
    FieldCase{"running", "c.exception IS NULL AND c.descendant_errors <= 0 AND c.ended_at IS NULL"},
    FieldCase{"success",
              "c.exception IS NULL AND c.descendant_errors <= 0 AND c.ended_at IS NOT NULL"},
};
Error unknownField(std::string_view path) {
  return {ErrorCode::kUnprocessable,
          "Field " + std::string(path) +
              " is not allowed. Use a column of the call, or a path below inputs, output, "
              "attributes, summary or feedback.[type]."};
}

Field fieldOf(FieldKind kind, Sql sql) {
  Field field;
  field.kind = kind;
  field.sql = std::move(sql);
  return field;
}

Result<Field> derivedField(const std::vector<std::string>& parts, const Dialect& dialect) {
  const std::string& name = parts[2];
  if (parts.size() == 3) {
    if (name == "status") {
      Field status = fieldOf(FieldKind::kText, Sql(kStatus));
      status.cases.assign(kStatusCases.begin(), kStatusCases.end());
      return status;
    }
    if (name == "latency_ms") return fieldOf(FieldKind::kInteger, Sql(latencySql(dialect)));
    if (name == "trace_name") return fieldOf(FieldKind::kText, Sql(traceNameSql(dialect)));
  }
  return Error(ErrorCode::kUnprocessable,
               "Summary field '" + name +
                   "' is not allowed. Supported fields are: latency_ms, status, trace_name");
}

void addAnyOf(Sql& sql, SqlView column, const std::vector<std::string>& values) {
  sql.add(column).add(" IN (");
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) sql.add(", ");
    sql.param(values[i]);
  }
  sql.add(")");
}

/// Exact values, and prefixes (values that end in `:*`).
struct Patterns {
  std::vector<std::string> exact;
  std::vector<std::string> prefixes;
};

Patterns patternsIn(const std::vector<std::string>& values) {
  Patterns patterns;
  for (const std::string& value : values) {
    if (value.ends_with(":*")) {
      patterns.prefixes.push_back(value.substr(0, value.size() - 1));
    } else {
      patterns.exact.push_back(value);
    }
  }
  return patterns;
}

Sql opNameCondition(const std::vector<std::string>& names, const Dialect& dialect) {
  const Patterns patterns = patternsIn(names);
  Sql sql("(");
  if (!patterns.exact.empty()) addAnyOf(sql, "c.op_name", patterns.exact);
  for (std::size_t i = 0; i < patterns.prefixes.size(); ++i) {
    if (i > 0 || !patterns.exact.empty()) sql.add(" OR ");
    sql.add(dialect.startsWith(Sql("c.op_name"), Sql().param(patterns.prefixes[i])));
  }
  return sql.add(")");
}

Sql refsCondition(SqlView column, const std::vector<std::string>& refs, const Dialect& dialect) {
  const Sql list(column);
  const Patterns patterns = patternsIn(refs);
  Sql sql("(");
  if (!patterns.exact.empty()) sql.add(dialect.listContainsAny(list, patterns.exact));
  for (std::size_t i = 0; i < patterns.prefixes.size(); ++i) {
    if (i > 0 || !patterns.exact.empty()) sql.add(" OR ");
    // Join the refs with line breaks, so that a prefix always follows a line break.
    sql.add(dialect.contains(dialect.linesOf(list), Sql().param("\n" + patterns.prefixes[i])));
  }
  return sql.add(")");
}

bool hasValues(const std::optional<std::vector<std::string>>& list) {
  return list && !list->empty();
}

}  // namespace

std::optional<SqlName> payloadColumn(std::string_view name) {
  const auto* const found =
      std::find_if(kPayloads.begin(), kPayloads.end(),
                   [name](SqlName candidate) { return candidate.text() == name; });
  return found == kPayloads.end() ? std::nullopt : std::optional(*found);
}

Result<Field> CallFields::dynamicField(SqlName column, std::vector<std::string> parts) const {
  // Use the deepest expansion on the path, because it was looked up through the others.
  const ExpandedRefs* through = nullptr;
  for (const ExpandedRefs& candidate : expanded_) {
    const bool covers = candidate.path.size() < parts.size() &&
                        std::equal(candidate.path.begin(), candidate.path.end(), parts.begin());
    if (covers && (through == nullptr || candidate.path.size() > through->path.size()))
      through = &candidate;
  }
  Field field;
  field.kind = FieldKind::kJson;
  if (through == nullptr) {
    field.sql = Sql("c." + SqlText(column));
    field.path.assign(parts.begin() + 1, parts.end());
    return field;
  }
  const Sql ref = dialect_.jsonLooseText(Sql("c." + SqlText(through->column)), through->place);
  field.sql = dialect_.lookedUp(ref, through->refs, through->values);
  field.path.assign(parts.begin() + static_cast<std::ptrdiff_t>(through->path.size()), parts.end());
  return field;
}

Result<Field> CallFields::resolve(std::string_view path) const {
  const auto* const plain =
      std::find_if(kPlainFields.begin(), kPlainFields.end(),
                   [path](const PlainField& candidate) { return candidate.name == path; });
  if (plain != kPlainFields.end()) return fieldOf(plain->kind, Sql(plain->sql));
  if (path == "deleted_at") return fieldOf(FieldKind::kTime, dialect_.noTime());
  if (path == "project_id")
    return fieldOf(FieldKind::kText, dialect_.parameter(project_, FieldKind::kText));
  constexpr std::string_view kFeedback = "feedback.";
  if (path.starts_with(kFeedback) && feedback_ != nullptr) return feedback_->resolve(path);
  if (path == "annotation_queue_items.queue_id" && queues_ != nullptr)
    return queues_->resolve(path);
  std::vector<std::string> parts = TRY(query::splitPath(path));
  const std::optional<SqlName> column = payloadColumn(parts.front());
  if (!column) return unknownField(path);
  const bool platform = parts.size() >= 3 && parts[0] == "summary" && parts[1] == "svc";
  if (platform) return derivedField(parts, dialect_);
  return dynamicField(*column, std::move(parts));
}

SqlText latencySql(const Dialect& dialect) {
  return dialect.millisecondsBetween(Sql("c.started_at"), Sql("c.ended_at")).text;
}

SqlText traceNameSql(const Dialect& dialect) {
  const Sql name("c.op_name");
  return "COALESCE(c.display_name, CASE WHEN " + dialect.contains(name, Sql("':///'")).text +
         " THEN " + dialect.urlDecoded(dialect.firstGroup(name, "'/op/([^/:]*)'")).text +
         " ELSE c.op_name END)";
}

SqlText usageSql(const Dialect& dialect) {
  // Larger than the usage of a hundred models.
  constexpr int kMaxUsageBytes = 16 << 10;
  const Sql summary("c.summary");
  const Sql usage = dialect.atMost(dialect.jsonMember(summary, "usage"), kMaxUsageBytes);
  return "(CASE WHEN " + dialect.contains(summary, Sql("'\"usage\"'")).text + " THEN " +
         usage.text + " END)";
}

query::Sql compileFilter(const CallFilter& filter, const Dialect& dialect) {
  Sql sql("true");
  const auto add_any_of = [&sql](const std::optional<std::vector<std::string>>& values,
                                 SqlView column) {
    if (!hasValues(values)) return;
    sql.add(" AND ");
    addAnyOf(sql, column, *values);
  };
  const auto add_any_of_or_nothing =
      [&sql, &add_any_of](const std::optional<std::vector<std::string>>& values, SqlView column) {
        if (values && values->empty()) sql.add(" AND false");
        add_any_of(values, column);
      };
  if (hasValues(filter.op_names)) sql.add(" AND ").add(opNameCondition(*filter.op_names, dialect));
  if (hasValues(filter.input_refs))
    sql.add(" AND ").add(refsCondition("c.input_refs", *filter.input_refs, dialect));
  if (hasValues(filter.output_refs))
    sql.add(" AND ").add(refsCondition("c.output_refs", *filter.output_refs, dialect));
  add_any_of(filter.parent_ids, "c.parent_id");
  add_any_of(filter.trace_ids, "c.trace_id");
  add_any_of(filter.call_ids, "c.id");
  add_any_of_or_nothing(filter.thread_ids, "c.thread_id");
  add_any_of_or_nothing(filter.turn_ids, "c.turn_id");
  add_any_of(filter.svc_user_ids, "c.user_id");
  add_any_of(filter.svc_run_ids, "c.run_id");
  if (filter.trace_roots_only.value_or(false)) sql.add(" AND c.parent_id IS NULL");
  return sql;
}

bool isSelective(const CallFilter& filter) {
  return hasValues(filter.call_ids) || hasValues(filter.trace_ids) ||
         hasValues(filter.parent_ids) || filter.thread_ids.has_value() ||
         filter.turn_ids.has_value();
}

}  // namespace spindle::tracing
