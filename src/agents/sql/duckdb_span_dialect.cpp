#include <utility>

#include "agents/sql/span_dialect.h"
#include "agents/store/span_column.h"
#include "query/field.h"

namespace spindle::agents {
namespace {

using query::Sql;

class DuckDbSpanDialect final : public SpanDialect {
 public:
  const query::Dialect& values() const override { return query::duckDbDialect(); }

  Sql customValue(CustomType type, const std::string& key) const override {
    const SqlText text =
        "json_extract_string(c." + SqlText(columnOf(type)) + ", " + query::pointerSql({key}) + ")";
    switch (type) {
      case CustomType::kString:
        return Sql(text);
      case CustomType::kInt:
        return Sql("TRY_CAST(" + text + " AS BIGINT)");
      case CustomType::kFloat:
        return Sql("TRY_CAST(" + text + " AS DOUBLE)");
      case CustomType::kBool:
        return Sql("TRY_CAST(" + text + " AS BOOLEAN)");
    }
    return Sql(text);
  }
  Sql customKeys(CustomType type) const override {
    return Sql("unnest(json_keys(c." + SqlText(columnOf(type)) + "))");
  }

  Sql isOneOf(const Sql& text, std::vector<std::string> texts) const override {
    return Sql(text)
        .add(" IN (SELECT unnest(CAST(")
        .param(std::move(texts))
        .add(" AS VARCHAR[])))");
  }
  Sql packed(const std::vector<Sql>& keys) const override {
    // Inside a STRUCT, NULL equals NULL.
    Sql sql("{");
    for (std::size_t i = 0; i < keys.size(); ++i) {
      sql.add(i == 0 ? SqlView("'k") : SqlView(", 'k")).add(SqlText::number(i)).add("': ");
      sql.add(keys[i]);
    }
    return sql.add("}");
  }
  Sql areSame(const Sql& left, const Sql& right) const override {
    return Sql(left).add(" IS NOT DISTINCT FROM ").add(right);
  }

  Sql wholeSum(const Sql& numbers, const Sql& filter) const override {
    return Sql("TRY_CAST(sum(").add(numbers).add(")").add(filter).add(" AS BIGINT)");
  }
  Sql distinctTexts(SqlName column) const override {
    const SqlText text = "c." + SqlText(column);
    return Sql("list_sort(list(DISTINCT " + text + ") FILTER (WHERE " + text + " <> ''))");
  }
  Sql earliestText(SqlName column, SqlView time) const override {
    return extremeText("arg_min(c.", column, time);
  }
  Sql latestText(SqlName column, SqlView time) const override {
    return extremeText("arg_max(c.", column, time);
  }

  SqlView identityOfTrace() const override {
    return "arg_min({'name': c.agent_name, 'version': c.agent_version, 'id': c.agent_id}, "
           "c.started_at) FILTER (WHERE c.agent_name <> '') AS agent, "
           "arg_min(c.conversation_id, c.started_at) FILTER (WHERE c.conversation_id <> '') "
           "AS conversation";
  }
  SqlView agentName() const override { return "d.agent.name"; }
  SqlView agentVersion() const override { return "d.agent.version"; }
  SqlView agentId() const override { return "d.agent.id"; }

  Sql messagesOf(SqlName column) const override {
    const SqlText text = "c." + SqlText(column);
    return Sql("unnest(from_json(" + text +
               R"(, '[{"role":"VARCHAR","content":"VARCHAR"}]'), recursive := true), )" +
               "unnest(range(CAST(json_array_length(" + text + ") AS BIGINT))) AS number");
  }
  Sql textsOf(SqlName column) const override {
    const SqlText list = "c." + SqlText(column);
    return Sql("unnest(" + list + ") AS content, unnest(range(length(" + list + "))) AS number");
  }
  Sql md5(SqlView text) const override { return Sql("md5(").add(text).add(")"); }

  Sql rating(SqlView json, const std::string& key) const override {
    return Sql("TRY_CAST(json_extract_string(" + SqlText(json) + ", " + query::pointerSql({key}) +
               ") AS DOUBLE)");
  }

 private:
  static Sql extremeText(SqlView function, SqlName column, SqlView time) {
    return Sql(function)
        .add(column)
        .add(", ")
        .add(time)
        .add(") FILTER (WHERE c.")
        .add(column)
        .add(" IS NOT NULL)");
  }
};

}  // namespace

const SpanDialect& duckDbSpanDialect() {
  static const DuckDbSpanDialect dialect;
  return dialect;
}

}  // namespace spindle::agents
