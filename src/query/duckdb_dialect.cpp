#include <utility>

#include "query/dialect.h"

namespace spindle::query {
namespace {

/// Patterns for regexp_extract(), which returns '' without a match; '' is no number. In JSON text a
/// string has quotes, and a whole number may have a fraction of zero.
constexpr SqlView kJsonInteger = R"('^"?([+-]?[0-9]+)(?:"|\.0|)$', 1)";
constexpr SqlView kJsonBoolean =
    R"('^"?(true|false|25[0-5]|2[0-4][0-9]|[01]?[0-9]?[0-9])(?:"|\.0|)$', 1)";
constexpr SqlView kTextInteger = R"('^[+-]?[0-9]+$')";
/// Excludes the texts that only DuckDB accepts as numbers: nan, inf, spaces and underscores.
constexpr SqlView kTextReal = R"('^[-+.0-9eE]+$')";
constexpr SqlView kTextBoolean = R"('^(?:true|false|25[0-5]|2[0-4][0-9]|[01]?[0-9]?[0-9])$')";
constexpr SqlView kNotZero = R"('^0*[1-9][0-9]*$', '1')";
constexpr SqlView kZeros = R"('^0+$', '0')";

constexpr SqlView kTextOfJson =
    "CASE WHEN t IS NULL OR t = 'null' THEN '' WHEN t[1] = '\"' THEN json_extract_string(t, '$') "
    "WHEN suffix(t, '.0') THEN t[:-3] ELSE t END";
constexpr SqlView kSizeOfJson =
    "CASE WHEN t[1] = '[' THEN CAST(json_array_length(t) AS BIGINT) WHEN t IS NULL OR t = 'null' "
    "THEN 0 WHEN t[1] = '\"' THEN length(json_extract_string(t, '$')) WHEN suffix(t, '.0') THEN "
    "length(t) - 2 ELSE length(t) END";

Sql call(SqlView function, const Sql& argument, SqlView rest) {
  return Sql(function).add("(").add(argument).add(", ").add(rest).add(")");
}

Sql tryCast(const Sql& value, SqlView type) {
  return Sql("TRY_CAST(").add(value).add(" AS ").add(type).add(")");
}

Sql booleanOfWord(const Sql& word) {
  return tryCast(call("regexp_replace", call("regexp_replace", word, kNotZero), kZeros), "BOOLEAN");
}

SqlView typeOf(FieldKind kind) {
  switch (kind) {
    case FieldKind::kInteger:
      return "BIGINT";
    case FieldKind::kReal:
      return "DOUBLE";
    case FieldKind::kTime:
      return "TIMESTAMP";
    case FieldKind::kBoolean:
      return "BOOLEAN";
    case FieldKind::kText:
    case FieldKind::kTexts:
    case FieldKind::kJson:
      break;
  }
  return "VARCHAR";
}

class DuckDbDialect final : public Dialect {
 public:
  Sql unknown() const override { return Sql("CAST(NULL AS BOOLEAN)"); }

  Sql parameter(columnar::Value value, FieldKind kind) const override {
    return Sql("CAST(").param(std::move(value)).add(" AS ").add(typeOf(kind)).add(")");
  }

  Sql textOf(FieldKind kind, const Sql& value) const override {
    switch (kind) {
      case FieldKind::kText:
      case FieldKind::kJson:
        return value;
      case FieldKind::kReal:
        return Sql("regexp_replace(").add(castSql(value, "VARCHAR")).add(R"(, '\.0$', ''))");
      case FieldKind::kTime:
        return Sql("strftime(").add(value).add(", '%Y-%m-%dT%H:%M:%S.%fZ')");
      case FieldKind::kTexts:
        return Sql("CAST(to_json(").add(value).add(") AS VARCHAR)");
      case FieldKind::kInteger:
      case FieldKind::kBoolean:
        return castSql(value, "VARCHAR");
    }
    return value;
  }

  Sql labelOf(FieldKind /*kind*/, const Sql& value) const override {
    return castSql(value, "VARCHAR");
  }

  Sql integerOf(FieldKind kind, const Sql& value) const override {
    if (kind == FieldKind::kTime)
      return Sql("CAST(floor(").add(realOf(kind, value)).add(") AS BIGINT)");
    // A double is truncated, not rounded.
    return tryCast(kind == FieldKind::kReal ? Sql("trunc(").add(value).add(")") : value, "BIGINT");
  }

  Sql realOf(FieldKind kind, const Sql& value) const override {
    if (kind == FieldKind::kTime) return Sql("epoch(").add(value).add(")");
    return tryCast(value, "DOUBLE");
  }

  Sql truthOf(const Sql& value) const override { return castSql(value, "BOOLEAN"); }

  Sql numberOfTruth(const Sql& condition) const override { return castSql(condition, "BIGINT"); }

  Sql integerOfText(const Sql& text) const override {
    return tryCast(call("regexp_extract", text, kTextInteger), "BIGINT");
  }
  Sql realOfText(const Sql& text) const override {
    return tryCast(call("regexp_extract", text, kTextReal), "DOUBLE");
  }
  Sql booleanOfText(const Sql& text) const override {
    return booleanOfWord(call("regexp_extract", text, kTextBoolean));
  }
  Sql sortedNumber(const Sql& text) const override { return tryCast(text, "DOUBLE"); }

  Sql isNull(FieldKind /*kind*/, const Sql& value) const override {
    return Sql("(").add(value).add(" IS NULL)");
  }
  Sql isIn(const Sql& value, const Sql& list) const override {
    return Sql(value).add(" IN ").add(list);
  }

  Sql contains(const Sql& text, const Sql& part) const override {
    return Sql("contains(").add(text).add(", ").add(part).add(")");
  }
  Sql lower(const Sql& text) const override { return Sql("lower(").add(text).add(")"); }
  Sql length(const Sql& text) const override { return Sql("length(").add(text).add(")"); }
  Sql sortedText(FieldKind /*kind*/, const Sql& value, int characters) const override {
    return Sql("left(")
        .add(castSql(value, "VARCHAR"))
        .add(", " + SqlText::number(characters) + ")");
  }

  Sql startsWith(const Sql& text, const Sql& prefix) const override {
    return Sql("starts_with(").add(text).add(", ").add(prefix).add(")");
  }
  Sql beginning(const Sql& text, std::int64_t characters) const override {
    return Sql("left(").add(text).add(", " + SqlText::number(characters) + ")");
  }
  Sql bytes(const Sql& text) const override { return Sql("strlen(").add(text).add(")"); }
  Sql firstGroup(const Sql& text, SqlView pattern) const override {
    return Sql("regexp_extract(").add(text).add(", ").add(pattern).add(", 1)");
  }
  Sql atMost(const Sql& text, std::int64_t bytes) const override {
    return Sql("list_transform([")
        .add(text)
        .add("], lambda t: CASE WHEN strlen(t) <= " + SqlText::number(bytes) + " THEN t END)[1]");
  }
  Sql urlDecoded(const Sql& text) const override { return Sql("url_decode(").add(text).add(")"); }

  Sql anyRelated(const RelatedRows& rows, const Sql& test, bool /*reads_owner*/) const override {
    return Sql("EXISTS (SELECT 1 ").add(relatedTo(rows)).add(" AND ").add(test).add(")");
  }
  Sql newestRelated(const RelatedRows& rows, const Sql& value) const override {
    return Sql("(SELECT arg_max(")
        .add(value)
        .add(", " + rows.newest + ") ")
        .add(relatedTo(rows))
        .add(")");
  }
  Sql tableOf(const std::vector<ListColumn>& columns) const override {
    Sql sql("(SELECT ");
    for (std::size_t i = 0; i < columns.size(); ++i) {
      sql.add(i == 0 ? SqlView("unnest(CAST(") : SqlView(", unnest(CAST(")).add(columns[i].list);
      sql.add(" AS " + SqlText(typeOf(columns[i].kind)) + "[])) AS ").add(columns[i].name);
    }
    return sql.add(")");
  }

  Sql noTime() const override { return Sql("CAST(NULL AS TIMESTAMP)"); }
  Sql millisecondsBetween(const Sql& from, const Sql& to) const override {
    Sql micros("(epoch_us(");
    micros.add(to).add(") - epoch_us(").add(from).add("))");
    // Integers: `//` cuts off, but a duration below zero is rounded down too.
    return Sql("((")
        .add(micros)
        .add(" - CASE WHEN ")
        .add(micros)
        .add(" < 0 THEN 999 ELSE 0 END) // 1000)");
  }

  Sql microsecondsOf(const Sql& time) const override { return Sql("epoch_us(").add(time).add(")"); }

  Sql dateOf(const Sql& time) const override {
    return Sql("strftime(").add(time).add(", '%Y-%m-%d')");
  }

  Sql quotient(const Sql& dividend, const Sql& divisor) const override {
    return Sql("(").add(dividend).add(" // ").add(divisor).add(")");
  }
  Sql quantile(const Sql& value, double fraction) const override {
    return call("quantile_cont", value, SqlText::real(fraction));
  }
  Sql oneOfQuantiles(const Sql& value,
                     const std::vector<double>& fractions,
                     std::size_t place) const override {
    SqlText list("[");
    for (const double fraction : fractions)
      list.add(list.size() > 1 ? SqlView(", ") : SqlView()).add(SqlText::real(fraction));
    list += "]";
    return call("quantile_cont", value, list).add("[" + SqlText::number(place + 1) + "]");
  }
  Sql limitedSum(const Sql& value) const override {
    return Sql("CAST(least(coalesce(sum(").add(value).add("), 0), 9223372036854775807) AS BIGINT)");
  }

  Sql listContainsAny(const Sql& list, std::vector<std::string> texts) const override {
    return Sql("list_has_any(").add(list).add(", ").param(std::move(texts)).add(")");
  }
  Sql linesOf(const Sql& list) const override {
    return Sql("chr(10) || array_to_string(").add(list).add(", chr(10))");
  }
  Sql listContains(const Sql& list, const Sql& item, bool lowered) const override {
    const Sql items =
        lowered ? Sql("list_transform(").add(list).add(", lambda t: lower(t))") : list;
    return Sql("list_contains(").add(items).add(", ").add(item).add(")");
  }
  Sql listLength(const Sql& list) const override { return length(list); }
  Sql sortedList(const Sql& list) const override { return list; }
  Sql eachItem(const Sql& list) const override { return Sql("unnest(").add(list).add(")"); }

  Sql json(const Sql& column, const std::vector<std::string>& path) const override {
    return castSql(extract("json_extract", column, path), "VARCHAR");
  }
  Sql jsonMember(const Sql& column, SqlName member) const override {
    const SqlText pointer = "'/" + SqlText(member) + "'";
    return castSql(call("json_extract", column, pointer), "VARCHAR");
  }
  Sql lookedUp(const Sql& key,
               std::vector<std::string> keys,
               std::vector<std::string> values) const override {
    return Sql("(SELECT any_value(x.value) FROM (SELECT unnest(")
        .param(std::move(keys))
        .add(") AS ref, unnest(")
        .param(std::move(values))
        .add(") AS value) AS x WHERE x.ref = ")
        .add(key)
        .add(")");
  }
  Sql jsonText(const Sql& column, const std::vector<std::string>& path) const override {
    const Sql text = overJson(column, path, kTextOfJson);
    if (!path.empty()) return text;
    // An object or an array is not parsed.
    return Sql("CASE WHEN ")
        .add(column)
        .add("[1] IN ('{', '[') THEN ")
        .add(column)
        .add(" ELSE ")
        .add(text)
        .add(" END");
  }
  Sql jsonLooseText(const Sql& column, const std::vector<std::string>& path) const override {
    return extract("json_extract_string", column, path);
  }
  Sql jsonInteger(const Sql& column, const std::vector<std::string>& path) const override {
    const Sql value = extract("json_extract", column, path);
    return tryCast(call("regexp_extract", value, kJsonInteger), "BIGINT");
  }
  Sql jsonBoolean(const Sql& column, const std::vector<std::string>& path) const override {
    const Sql value = extract("json_extract", column, path);
    return booleanOfWord(call("regexp_extract", value, kJsonBoolean));
  }
  Sql jsonSize(const Sql& column, const std::vector<std::string>& path) const override {
    return overJson(column, path, kSizeOfJson);
  }
  Sql eachNumber(const Sql& column) const override {
    const Sql numbers = castSql(castSql(column, "JSON"), "MAP(VARCHAR, DOUBLE)");
    return eachItem(Sql("map_entries(").add(numbers).add(")"));
  }

 private:
  static Sql extract(SqlView function, const Sql& column, const std::vector<std::string>& path) {
    return call(function, column, pointerSql(path));
  }
  static Sql relatedTo(const RelatedRows& rows) {
    Sql sql("FROM ");
    sql.add(rows.from).add(" WHERE ").add(rows.condition);
    return sql.add(" AND " + rows.key + " = " + rows.owner);
  }
  /// Returns an expression over `t`, the value's JSON (NULL when it is missing).
  static Sql overJson(const Sql& column, const std::vector<std::string>& path, SqlView expression) {
    return Sql("list_transform([CAST(")
        .add(extract("json_extract", column, path))
        .add(" AS VARCHAR)], lambda t: ")
        .add(expression)
        .add(")[1]");
  }
};

}  // namespace

const Dialect& duckDbDialect() {
  static const DuckDbDialect dialect;
  return dialect;
}

}  // namespace spindle::query
