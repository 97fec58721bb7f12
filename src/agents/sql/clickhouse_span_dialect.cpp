#include <utility>

#include "agents/sql/span_dialect.h"
#include "agents/store/span_column.h"

namespace spindle::agents {
namespace {

using query::Sql;

SqlView typeOf(CustomType type) {
  switch (type) {
    case CustomType::kString:
      return "String";
    case CustomType::kInt:
      return "Int64";
    case CustomType::kFloat:
      return "Float64";
    case CustomType::kBool:
      return "Bool";
  }
  return "String";
}

class ClickHouseSpanDialect final : public SpanDialect {
 public:
  const query::Dialect& values() const override { return query::clickHouseDialect(); }

  Sql customValue(CustomType type, const std::string& key) const override {
    Sql sql("JSONExtract(c." + SqlText(columnOf(type)) + ", ");
    return sql.param(key).add(", 'Nullable(" + SqlText(typeOf(type)) + ")')");
  }
  Sql customKeys(CustomType type) const override {
    return Sql("arrayJoin(JSONExtractKeys(c." + SqlText(columnOf(type)) + "))");
  }

  Sql isOneOf(const Sql& text, std::vector<std::string> texts) const override {
    Sql sql(text);
    sql.add(" IN (");
    for (std::size_t i = 0; i < texts.size(); ++i)
      sql.add(i == 0 ? SqlView() : SqlView(", ")).param(std::move(texts[i]));
    return sql.add(")");
  }
  Sql packed(const std::vector<Sql>& keys) const override {
    // NULL in a text equals NULL.
    Sql sql("toJSONString(tuple(");
    for (std::size_t i = 0; i < keys.size(); ++i)
      sql.add(i == 0 ? SqlView() : SqlView(", ")).add(keys[i]);
    return sql.add("))");
  }
  Sql areSame(const Sql& left, const Sql& right) const override {
    return Sql(left).add(" IS NOT DISTINCT FROM ").add(right);
  }

  Sql wholeSum(const Sql& numbers, const Sql& filter) const override {
    return Sql("accurateCastOrNull(sum(toInt128(")
        .add(numbers)
        .add("))")
        .add(filter)
        .add(", 'Int64')");
  }
  Sql distinctTexts(SqlName column) const override {
    const SqlText text = "c." + SqlText(column);
    return Sql("arraySort(groupUniqArray(toString(" + text + ")) FILTER (WHERE " + text +
               " <> ''))");
  }
  Sql earliestText(SqlName column, SqlView time) const override {
    return extremeText("argMin(c.", column, time);
  }
  Sql latestText(SqlName column, SqlView time) const override {
    return extremeText("argMax(c.", column, time);
  }

  SqlView identityOfTrace() const override {
    // One order for all three, so that they come from the same span.
    return "argMin(c.agent_name, (c.started_at, c.span_id)) FILTER (WHERE c.agent_name <> '') "
           "AS lent_name, "
           "argMin(c.agent_version, (c.started_at, c.span_id)) FILTER (WHERE c.agent_name <> '') "
           "AS lent_version, "
           "argMin(c.agent_id, (c.started_at, c.span_id)) FILTER (WHERE c.agent_name <> '') "
           "AS lent_id, "
           "argMin(c.conversation_id, (c.started_at, c.span_id)) FILTER "
           "(WHERE c.conversation_id <> '') AS conversation";
  }
  SqlView agentName() const override { return "d.lent_name"; }
  SqlView agentVersion() const override { return "d.lent_version"; }
  SqlView agentId() const override { return "d.lent_id"; }

  Sql messagesOf(SqlName column) const override {
    return Sql(
        "arrayJoin(arrayMap((m, i) -> (m.1, m.2, i), JSONExtract(c." + SqlText(column) +
        ", 'Array(Tuple(role String, content String))') AS messages, arrayEnumerate(messages))) "
        "AS message, message.1 AS role, message.2 AS content, message.3 AS number");
  }
  Sql textsOf(SqlName column) const override {
    const SqlText list = "c." + SqlText(column);
    return Sql("arrayJoin(arrayMap((t, i) -> (t, i), " + list + ", arrayEnumerate(" + list +
               "))) AS text, text.1 AS content, text.2 AS number");
  }
  Sql md5(SqlView text) const override { return Sql("lower(hex(MD5(").add(text).add(")))"); }

  Sql rating(SqlView json, const std::string& key) const override {
    Sql sql("JSONExtract(" + SqlText(json) + ", ");
    return sql.param(key).add(", 'Nullable(Float64)')");
  }

 private:
  static Sql extremeText(SqlView function, SqlName column, SqlView time) {
    return Sql(function)
        .add(column)
        .add(", (")
        .add(time)
        .add(", c.span_id)) FILTER (WHERE c.")
        .add(column)
        .add(" <> '' AND ")
        .add(time)
        .add(" IS NOT NULL)");
  }
};

}  // namespace

const SpanDialect& clickHouseSpanDialect() {
  static const ClickHouseSpanDialect dialect;
  return dialect;
}

SqlView clickHouseNullSettings() {
  return "aggregate_functions_null_for_empty = 1, join_use_nulls = 1, cast_keep_nullable = 1, "
         "data_type_default_nullable = 0";
}

}  // namespace spindle::agents
