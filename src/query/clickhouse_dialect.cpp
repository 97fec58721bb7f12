#include <cstdint>
#include <utility>

#include "query/dialect.h"
#include "query/digits.h"

namespace spindle::query {
namespace {

/// Patterns of extract(), which returns '' without a match. A string literal of ClickHouse has
/// escapes, so that a backslash of a pattern is written twice.
constexpr SqlView kIntegerInJson = R"('^"?([+-]?[0-9]+)(?:"|\\.0|)$')";
constexpr SqlView kBooleanInJson =
    R"('^"?(true|false|25[0-5]|2[0-4][0-9]|[01]?[0-9]?[0-9])(?:"|\\.0|)$')";
constexpr SqlView kIntegerInText = "'^[+-]?[0-9]+$'";
constexpr SqlView kRealInText = "'^[-+.0-9eE]+$'";
constexpr SqlView kBooleanInText = "'^(?:true|false|25[0-5]|2[0-4][0-9]|[01]?[0-9]?[0-9])$'";

// Expressions over `t`, the JSON of a value, NULL when it is missing.
constexpr SqlView kLooseTextOf =
    R"(multiIf(isNull(t) OR t = 'null', NULL, startsWith(t, '"'), JSONExtractString(t), t))";
constexpr SqlView kTextOf =
    R"(multiIf(isNull(t) OR t = 'null', '', startsWith(t, '"'), JSONExtractString(t), )"
    R"(endsWith(t, '.0'), substring(t, 1, length(t) - 2), assumeNotNull(t)))";
constexpr SqlView kSizeOf =
    R"(toInt64(multiIf(isNull(t) OR t = 'null', 0, startsWith(t, '['), JSONLength(t), )"
    R"(startsWith(t, '"'), lengthUTF8(JSONExtractString(t)), endsWith(t, '.0'), )"
    R"(lengthUTF8(t) - 2, lengthUTF8(t))))";

/// Array indexes with more digits are names of members only.
constexpr std::size_t kMaxIndexDigits = 9;

/// Returns `function(argument<rest>)`.
Sql applied(SqlView function, const Sql& argument, SqlView rest = {}) {
  return Sql(function).add("(").add(argument).add(rest).add(")");
}

/// Returns the expression over `t`, the value of `argument`, which is computed once.
Sql over(const Sql& argument, SqlView expression) {
  return Sql("arrayMap(t -> ").add(expression).add(", [").add(argument).add("])[1]");
}

Sql matched(const Sql& text, SqlView pattern) {
  return applied("extract", text, ", " + SqlText(pattern));
}

Sql truthOfWord(const Sql& word) {
  return over(word,
              "multiIf(isNull(t), NULL, t = 'true' OR match(t, '^0*[1-9][0-9]*$'), true, "
              "t = 'false' OR match(t, '^0+$'), false, NULL)");
}

bool isIndex(std::string_view part) {
  return isDigits(part) && part.size() <= kMaxIndexDigits && (part == "0" || part[0] != '0');
}

class ClickHouseDialect final : public Dialect {
 public:
  explicit ClickHouseDialect(EmptyLists lists) : lists_(lists) {}

  Sql unknown() const override { return Sql("CAST(NULL AS Nullable(Bool))"); }

  Sql parameter(columnar::Value value, FieldKind /*kind*/) const override {
    return Sql().param(std::move(value));  // its type follows from the value
  }

  Sql textOf(FieldKind kind, const Sql& value) const override {
    switch (kind) {
      case FieldKind::kText:
      case FieldKind::kJson:
        return value;
      case FieldKind::kTime:
        return applied("formatDateTime", value, ", '%Y-%m-%dT%H:%i:%S.%fZ'");
      case FieldKind::kTexts:
        return orNull(value, applied("toJSONString", value));
      case FieldKind::kBoolean:
        return applied("toString", castSql(value, "Nullable(Bool)"));
      case FieldKind::kInteger:
      case FieldKind::kReal:
        return applied("toString", value);
    }
    return value;
  }

  Sql labelOf(FieldKind kind, const Sql& value) const override {
    const Sql text = applied("toString", value);
    // Without the zeros at the end of a fraction.
    return kind == FieldKind::kTime ? applied("replaceRegexpOne", text, R"(, '\\.?0*$', '')")
                                    : text;
  }

  Sql integerOf(FieldKind kind, const Sql& value) const override {
    if (kind == FieldKind::kTime) return applied("toInt64", applied("floor", realOf(kind, value)));
    // A double is truncated, not rounded.
    return applied("accurateCastOrNull", kind == FieldKind::kReal ? applied("trunc", value) : value,
                   ", 'Int64'");
  }

  Sql realOf(FieldKind kind, const Sql& value) const override {
    if (kind != FieldKind::kTime) return applied("toFloat64", value);
    return Sql("(").add(applied("toUnixTimestamp64Micro", value)).add(" / 1000000)");
  }

  Sql truthOf(const Sql& value) const override { return Sql("(").add(value).add(" != 0)"); }

  Sql numberOfTruth(const Sql& condition) const override { return applied("toInt64", condition); }

  Sql integerOfText(const Sql& text) const override {
    return applied("toInt64OrNull", matched(text, kIntegerInText));
  }
  Sql realOfText(const Sql& text) const override {
    return applied("toFloat64OrNull", matched(text, kRealInText));
  }
  Sql booleanOfText(const Sql& text) const override {
    return truthOfWord(matched(text, kBooleanInText));
  }
  Sql sortedNumber(const Sql& text) const override { return applied("toFloat64OrNull", text); }

  Sql isNull(FieldKind kind, const Sql& value) const override {
    // An array is never NULL.
    if (kind == FieldKind::kTexts)
      return lists_ == EmptyLists::kNull ? applied("empty", value) : Sql("FALSE");
    return Sql("(").add(value).add(" IS NULL)");
  }
  Sql isIn(const Sql& value, const Sql& list) const override {
    // IN is false for NULL.
    return Sql("if(isNull(").add(value).add("), NULL, ").add(value).add(" IN ").add(list).add(")");
  }

  Sql contains(const Sql& text, const Sql& part) const override {
    return Sql("(position(").add(text).add(", ").add(part).add(") > 0)");
  }
  Sql lower(const Sql& text) const override { return applied("lowerUTF8", text); }
  Sql length(const Sql& text) const override {
    return applied("toInt64", applied("lengthUTF8", text));
  }
  Sql sortedText(FieldKind kind, const Sql& value, int characters) const override {
    const Sql text = kind == FieldKind::kTexts ? sortedList(value) : value;
    return applied("leftUTF8", text, ", " + SqlText::number(characters));
  }

  Sql startsWith(const Sql& text, const Sql& prefix) const override {
    return Sql("startsWith(").add(text).add(", ").add(prefix).add(")");
  }
  Sql beginning(const Sql& text, std::int64_t characters) const override {
    return applied("leftUTF8", text, ", " + SqlText::number(characters));
  }
  Sql bytes(const Sql& text) const override { return applied("toInt64", applied("length", text)); }
  Sql firstGroup(const Sql& text, SqlView pattern) const override { return matched(text, pattern); }
  Sql atMost(const Sql& text, std::int64_t bytes) const override {
    return over(text, "if(length(t) <= " + SqlText::number(bytes) + ", t, NULL)");
  }
  Sql urlDecoded(const Sql& text) const override { return applied("decodeURLComponent", text); }

  Sql anyRelated(const RelatedRows& rows, const Sql& test, bool reads_owner) const override {
    if (!reads_owner) {
      Sql sql(rows.owner + " IN (SELECT " + rows.key + " FROM ");
      return sql.add(rows.from).add(" WHERE ").add(rows.condition).add(" AND ").add(test).add(")");
    }
    // A subquery that reads the row outside of it: ClickHouse 25.8 and later.
    Sql sql("EXISTS (SELECT 1 FROM ");
    sql.add(rows.from).add(" WHERE ").add(rows.condition);
    sql.add(" AND " + rows.key + " = " + rows.owner + " AND ");
    return sql.add(test).add(")");
  }
  Sql newestRelated(const RelatedRows& rows, const Sql& value) const override {
    // Two lists with the same order, computed once, and a hash table over them.
    const auto list = [&](SqlView item) {
      Sql sql("(SELECT groupArray(assumeNotNull(" + SqlText(item) +
              ")) FROM (SELECT k, argMax(v, n) AS newest FROM (SELECT " + rows.key + " AS k, ");
      sql.add(value).add(" AS v, " + rows.newest + " AS n FROM ").add(rows.from);
      sql.add(" WHERE ").add(rows.condition);
      return sql.add(") WHERE v IS NOT NULL GROUP BY k ORDER BY k))");
    };
    return Sql("transform(" + rows.owner + ", ")
        .add(list("k"))
        .add(", ")
        .add(list("newest"))
        .add(", NULL)");
  }
  Sql tableOf(const std::vector<ListColumn>& columns) const override {
    Sql lists;
    SqlText names;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const SqlView comma = i == 0 ? SqlView() : SqlView(", ");
      lists.add(comma).add(castSql(columns[i].list, arrayOf(columns[i].kind)));
      names += SqlText(comma) + "p." + SqlText::number(i + 1) + " AS " + columns[i].name;
    }
    Sql sql("(SELECT " + names + " FROM (SELECT arrayJoin(arrayZip(");
    return sql.add(lists).add(")) AS p))");
  }

  Sql noTime() const override { return Sql("CAST(NULL AS Nullable(DateTime64(6, 'UTC')))"); }
  Sql millisecondsBetween(const Sql& from, const Sql& to) const override {
    return Sql("toInt64(floor((")
        .add(applied("toUnixTimestamp64Micro", to))
        .add(" - ")
        .add(applied("toUnixTimestamp64Micro", from))
        .add(") / 1000))");
  }

  Sql microsecondsOf(const Sql& time) const override {
    return applied("toUnixTimestamp64Micro", time);
  }

  Sql dateOf(const Sql& time) const override {
    return applied("formatDateTime", time, ", '%Y-%m-%d'");
  }

  Sql quotient(const Sql& dividend, const Sql& divisor) const override {
    return Sql("intDiv(").add(dividend).add(", ").add(divisor).add(")");
  }
  Sql quantile(const Sql& value, double fraction) const override {
    return applied("quantileExactInclusive(" + SqlText::real(fraction) + ")", value);
  }
  Sql oneOfQuantiles(const Sql& value,
                     const std::vector<double>& fractions,
                     std::size_t place) const override {
    SqlText function("quantilesExactInclusive(");
    for (std::size_t i = 0; i < fractions.size(); ++i)
      function.add(i > 0 ? SqlView(", ") : SqlView()).add(SqlText::real(fractions[i]));
    // Quantiles of no values are not numbers.
    Sql sql("if(");
    sql.add(applied("count", value)).add(" > 0, ").add(applied(function + ")", value));
    return sql.add("[" + SqlText::number(place + 1) + "], NULL)");
  }
  Sql limitedSum(const Sql& value) const override {
    // The sum of 64-bit integers has 64 bits.
    const Sql sum = applied("sum", applied("toInt128", value));
    return applied("toInt64", applied("least", sum, ", toInt128(9223372036854775807)"));
  }

  Sql listContainsAny(const Sql& list, std::vector<std::string> texts) const override {
    return Sql("hasAny(").add(list).add(", ").param(std::move(texts)).add(")");
  }
  Sql linesOf(const Sql& list) const override {
    return Sql("concat(char(10), ").add(applied("arrayStringConcat", list, ", char(10)")).add(")");
  }
  Sql listContains(const Sql& list, const Sql& item, bool lowered) const override {
    Sql items = lowered ? Sql("arrayMap(t -> lowerUTF8(t), ").add(list).add(")") : list;
    return orNull(list, Sql("has(").add(items).add(", ").add(item).add(")"));
  }
  Sql listLength(const Sql& list) const override {
    return orNull(list, applied("toInt64", applied("length", list)));
  }
  Sql sortedList(const Sql& list) const override {
    return orNull(list, applied("arrayStringConcat", list, ", char(10)"));
  }
  Sql eachItem(const Sql& list) const override { return applied("arrayJoin", list); }

  Sql json(const Sql& column, const std::vector<std::string>& path) const override {
    if (!path.empty()) return applied("nullIf", raw(column, path), ", ''");
    // An object or an array is not parsed. Numbers have one text: 1e3 is 1000.
    return Sql("if(")
        .add(isContainer(column))
        .add(", ")
        .add(column)
        .add(", ")
        .add(applied("nullIf", applied("JSONExtractRaw", column), ", ''"))
        .add(")");
  }
  Sql jsonMember(const Sql& column, SqlName member) const override {
    const Sql value = applied("JSONExtractRaw", column, ", '" + SqlText(member) + "'");
    return applied("nullIf", value, ", ''");
  }
  Sql lookedUp(const Sql& key,
               std::vector<std::string> keys,
               std::vector<std::string> values) const override {
    const Sql place = Sql("indexOf(").param(std::move(keys)).add(", ").add(key).add(")");
    return Sql("arrayMap(i -> if(i > 0, arrayElement(")
        .param(std::move(values))
        .add(", i), NULL), [")
        .add(place)
        .add("])[1]");
  }
  Sql jsonText(const Sql& column, const std::vector<std::string>& path) const override {
    return over(json(column, path), kTextOf);
  }
  Sql jsonLooseText(const Sql& column, const std::vector<std::string>& path) const override {
    return over(json(column, path), kLooseTextOf);
  }
  Sql jsonInteger(const Sql& column, const std::vector<std::string>& path) const override {
    return applied("toInt64OrNull", matched(json(column, path), kIntegerInJson));
  }
  Sql jsonBoolean(const Sql& column, const std::vector<std::string>& path) const override {
    return truthOfWord(matched(json(column, path), kBooleanInJson));
  }
  Sql jsonSize(const Sql& column, const std::vector<std::string>& path) const override {
    return over(json(column, path), kSizeOf);
  }
  Sql eachNumber(const Sql& column) const override {
    const Sql numbers = applied("JSONExtractKeysAndValues", column, ", 'Nullable(Float64)'");
    return eachItem(castSql(numbers, "Array(Tuple(key String, value Nullable(Float64)))"));
  }

 private:
  static SqlView arrayOf(FieldKind kind) {
    if (kind == FieldKind::kInteger) return "Array(Int64)";
    return kind == FieldKind::kReal ? SqlView("Array(Float64)") : SqlView("Array(String)");
  }

  static Sql isContainer(const Sql& json) {
    return Sql("substring(").add(json).add(", 1, 1) IN ('{', '[')");
  }

  /// Returns the value, or NULL for a list that is NULL.
  Sql orNull(const Sql& list, const Sql& value) const {
    if (lists_ == EmptyLists::kValues) return value;
    return Sql("if(empty(").add(list).add("), NULL, ").add(value).add(")");
  }

  /// Returns the JSON of the value, or '' if it is missing. A part of digits is an index of an
  /// array or a name of a member: JSONExtractRaw() takes the n-th member of an object for an index,
  /// so each such part needs a step of its own.
  static Sql raw(const Sql& column, const std::vector<std::string>& path) {
    Sql value = column;
    std::size_t at = 0;
    while (at < path.size()) {
      if (isIndex(path[at])) {
        const std::string& part = path[at++];
        Sql step("arrayMap(j -> if(JSONType(assumeNotNull(j)) = 'Array', JSONExtractRaw(j, " +
                 SqlText::number(std::stol(part) + 1) + "), JSONExtractRaw(j, ");
        value = step.param(part).add(")), [").add(value).add("])[1]");
        continue;
      }
      Sql step("JSONExtractRaw(");
      step.add(value);
      for (; at < path.size() && !isIndex(path[at]); ++at) step.add(", ").param(path[at]);
      value = step.add(")");
    }
    return value;
  }

  const EmptyLists lists_;
};

}  // namespace

const Dialect& clickHouseDialect(EmptyLists lists) {
  static const ClickHouseDialect empty_is_null(EmptyLists::kNull);
  static const ClickHouseDialect empty_is_value(EmptyLists::kValues);
  return lists == EmptyLists::kNull ? empty_is_null : empty_is_value;
}

}  // namespace spindle::query
