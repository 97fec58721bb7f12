#include "agents/store/message_search.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "agents/sql/span_fields.h"
#include "agents/sql/sql_span_store.h"
#include "json/escape.h"
#include "query/sql.h"

namespace spindle::agents {
namespace {

using query::Sql;

enum class Kind { kMessages, kTexts, kText };

/// A column with texts.
struct Source {
  SqlName column;
  Kind kind;
  SqlView role;  ///< empty: the role of each message
};
constexpr auto kSources = std::to_array<Source>({
    {"input_messages", Kind::kMessages, ""},
    {"output_messages", Kind::kMessages, ""},
    {"system_instructions", Kind::kTexts, "system"},
    {"tool_call_arguments", Kind::kText, "tool_call"},
    {"tool_call_result", Kind::kText, "tool_result"},
});

/// The columns of a found message.
constexpr SqlView kFound =
    "conversation_id, conversation_name, agent_name, span_id, trace_id, started_at, role, content";

/// Returns the text as a JSON string without the quotes.
std::string escaped(const std::string& text) {
  const std::string json = json::quoted(text);
  return json.substr(1, json.size() - 2);
}

Sql conditionOf(const MessageSearchQuery& search_query, const SpanRows& rows) {
  Sql sql("TRUE");
  sql.add(windowCondition(search_query.started_after, search_query.started_before));
  if (search_query.trace_id) sql.add(" AND ").add(rows.oneOfTraces({*search_query.trace_id}));
  const auto equals = [&sql](SqlName column, const std::optional<std::string>& value) {
    if (value) sql.add(" AND c.").add(column).add(" = ").param(*value);
  };
  equals("conversation_id", search_query.conversation_id);
  equals("agent_name", search_query.agent_name);
  equals("provider_name", search_query.provider_name);
  equals("request_model", search_query.request_model);
  return sql;
}

/// Returns the forms in which a text can be part of a message. The content of a message can itself
/// be JSON, as the client wrote it: some clients escape all characters that are not ASCII.
std::vector<std::string> formsOf(const std::string& text) {
  std::string ascii;
  json::appendAsciiQuoted(ascii, text);
  std::vector<std::string> forms = {text};
  for (std::string& form : std::array{escaped(text), ascii.substr(1, ascii.size() - 2)}) {
    if (std::find(forms.begin(), forms.end(), form) == forms.end())
      forms.push_back(std::move(form));
  }
  return forms;
}

/// Returns the condition that `text` contains one of these.
Sql containsText(SqlView text,
                 const std::vector<std::string>& sought,
                 const MessageSearchQuery& search_query,
                 const query::Dialect& dialect) {
  Sql sql("(");
  for (std::size_t i = 0; i < sought.size(); ++i) {
    if (i > 0) sql.add(" OR ");
    const Sql one = Sql().param(sought[i]);
    sql.add(search_query.case_insensitive
                ? dialect.contains(dialect.lower(Sql(text)), dialect.lower(one))
                : dialect.contains(Sql(text), one));
  }
  sql.add(")");
  return sql;
}

/// Returns a SELECT of `role` and `content` of one source, for spans that can match.
Sql textsOf(const Source& source,
            const SpanRows& rows,
            const Sql& condition,
            const MessageSearchQuery& search_query) {
  const SpanDialect& dialect = rows.dialect();
  const SqlText column = "c." + SqlText(source.column);
  constexpr SqlView kSpan =
      "c.conversation_id, c.conversation_name, c.agent_name, c.span_id, c.trace_id, c.started_at, ";
  Sql sql("SELECT ");
  sql.add(kSpan);
  switch (source.kind) {
    case Kind::kMessages:
      sql.add(dialect.messagesOf(source.column));
      break;
    case Kind::kTexts:
      sql.add("'" + SqlText(source.role) + "' AS role, ").add(dialect.textsOf(source.column));
      break;
    case Kind::kText:
      sql.add("'" + SqlText(source.role) + "' AS role, " + column + " AS content, 0 AS number");
      break;
  }
  sql.add(" FROM ").add(rows.from()).add(" AS c WHERE ").add(condition);
  if (source.kind == Kind::kTexts) {
    sql.add(" AND NOT ").add(dialect.values().isNull(query::FieldKind::kTexts, Sql(column)));
  } else {
    sql.add(" AND " + column + " <> ''");
  }
  // Messages are stored as JSON without unnecessary escapes: a span without this text has no match.
  if (!search_query.text.empty() && source.kind == Kind::kMessages) {
    std::vector<std::string> stored = formsOf(search_query.text);
    std::transform(stored.begin(), stored.end(), stored.begin(), escaped);
    sql.add(" AND ").add(containsText(column, stored, search_query, dialect.values()));
  }
  return sql;
}

std::vector<std::string> rolesOf(const std::vector<std::string>& asked) {
  std::vector<std::string> roles = asked;
  if (std::find(asked.begin(), asked.end(), "tool") != asked.end()) {
    roles.emplace_back("tool_call");
    roles.emplace_back("tool_result");
  }
  return roles;
}

}  // namespace

Result<std::vector<FoundMessage>> SqlSpanStore::searchMessages(
    std::string_view project_id, const MessageSearchQuery& search_query) const {
  std::vector<FoundMessage> found;
  if (search_query.limit == 0) return found;
  const std::unique_ptr<SpanRows> source = TRY(this->rows(project_id));
  SpanRows& rows = *source;
  const Sql condition = conditionOf(search_query, rows);
  const SpanDialect& dialect = rows.dialect();
  Sql sql("SELECT ");
  sql.add(kFound).add(", ");
  sql.add(dialect.md5("content")).add(" FROM (");
  for (std::size_t i = 0; i < kSources.size(); ++i) {
    sql.add(i > 0 ? SqlView(" UNION ALL SELECT ") : SqlView("SELECT "));
    sql.add(kFound).add(", number, " + SqlText::number(i) + " AS place");
    sql.add(" FROM (").add(textsOf(kSources[i], rows, condition, search_query)).add(")");
  }
  sql.add(") WHERE content <> ''");
  if (!search_query.text.empty())
    sql.add(" AND ").add(
        containsText("content", formsOf(search_query.text), search_query, dialect.values()));
  if (search_query.roles) {
    const std::vector<std::string> roles = rolesOf(*search_query.roles);
    sql.add(" AND ").add(roles.empty() ? Sql("FALSE") : dialect.isOneOf(Sql("role"), roles));
  }
  sql.add(" ORDER BY started_at DESC, trace_id, span_id, place, number LIMIT ")
      .param(search_query.limit);
  sql.add(" OFFSET ").param(search_query.offset);
  TRY(forEachRow(rows, sql, [&found](const ResultRow& row) {
    FoundMessage& message = found.emplace_back();
    readColumns(row, message.conversation_id, message.conversation_name, message.agent_name,
                message.span_id, message.trace_id, message.started_at, message.role,
                message.content, message.digest);
  }));
  return found;
}

}  // namespace spindle::agents
