#include "query/json_value.h"

#include <algorithm>
#include <utility>

#include "query/digits.h"

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

bool startsLikeNumber(std::string_view text) {
  const char first = text.empty() ? '\0' : text[0];
  return first == '-' || (first >= '0' && first <= '9');
}

bool hasOnlyNumberCharacters(std::string_view text) {
  return text.find_first_not_of("0123456789+-.eE") == std::string_view::npos;
}

bool startsLikeContainer(std::string_view text) {
  return text.starts_with('{') || text.starts_with('[');
}

/// Returns true if a JSON string contains the text without escapes.
bool isPlain(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
  });
}

/// Returns the possible JSON of a value with this text. The text starts like a number.
std::vector<std::string> jsonForms(std::string_view text) {
  std::string string = "\"";
  string.append(text).append("\"");
  std::vector<std::string> forms = {std::move(string)};
  // The text of the number 5.0 is `5`, so the text `5.0` can only come from a string.
  if (!text.ends_with(".0")) forms.emplace_back(text);
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  if (isDigits(digits)) forms.push_back(std::string(text).append(".0"));
  return forms;
}

Sql call(SqlView function, const Sql& argument, SqlView rest) {
  return Sql(function).add("(").add(argument).add(", ").add(rest).add(")");
}

Sql tryCast(const Sql& value, SqlView type) {
  return Sql("TRY_CAST(").add(value).add(" AS ").add(type).add(")");
}

Sql booleanOfWord(const Sql& word) {
  return tryCast(call("regexp_replace", call("regexp_replace", word, kNotZero), kZeros), "BOOLEAN");
}

Sql lower(const Sql& text) { return Sql("lower(").add(text).add(")"); }

Sql orEmpty(const Sql& text) { return Sql("COALESCE(").add(text).add(", '')"); }

Sql inList(const Sql& tested, const std::vector<std::string>& texts) {
  Sql sql = tested;
  sql.add(" IN (");
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i > 0) sql.add(", ");
    sql.param(texts[i]);
  }
  return sql.add(")");
}

}  // namespace

JsonValue::JsonValue(Sql column, const std::vector<std::string>& path)
    : column_(std::move(column)), pointer_(pointerSql(path)), whole_(path.empty()) {}

Sql JsonValue::extract(SqlView function) const { return call(function, column_, pointer_); }

Sql JsonValue::overJson(SqlView expression) const {
  return Sql("list_transform([CAST(")
      .add(extract("json_extract"))
      .add(" AS VARCHAR)], lambda t: ")
      .add(expression)
      .add(")[1]");
}

Sql JsonValue::looseText() const { return extract("json_extract_string"); }

Sql JsonValue::looseTextFor(NullSemantics nulls) const {
  return nulls == NullSemantics::kTruthOnly ? looseText() : orEmpty(looseText());
}

Sql JsonValue::wholeText() const {
  return Sql("CASE WHEN ")
      .add(column_)
      .add("[1] IN ('{', '[') THEN ")
      .add(column_)
      .add(" ELSE ")
      .add(overJson(kTextOfJson))
      .add(" END");
}

Sql JsonValue::text() const { return whole_ ? wholeText() : overJson(kTextOfJson); }

Sql JsonValue::integer() const {
  return tryCast(call("regexp_extract", extract("json_extract"), kJsonInteger), "BIGINT");
}

Sql JsonValue::real() const { return realOfText(looseText()); }

Sql JsonValue::boolean() const {
  return booleanOfWord(call("regexp_extract", extract("json_extract"), kJsonBoolean));
}

Sql JsonValue::size() const { return overJson(kSizeOfJson); }

Sql JsonValue::jsonIsAmong(const std::vector<std::string>& forms) const {
  return inList(Sql("COALESCE(CAST(").add(extract("json_extract")).add(" AS VARCHAR), '')"), forms);
}

Sql JsonValue::equals(std::string_view text, NullSemantics nulls) const {
  if (text.empty()) return orEmpty(looseText()).add(" = ''");
  if (startsLikeNumber(text) && hasOnlyNumberCharacters(text)) return jsonIsAmong(jsonForms(text));
  if (startsLikeContainer(text)) {
    return Sql(whole_ ? wholeText() : looseTextFor(nulls)).add(" = ").param(std::string(text));
  }
  Sql exact = looseTextFor(nulls).add(" = ").param(std::string(text));
  if (!isPlain(text) || text == "true" || text == "false") return exact;
  // A search for the end of the string in the raw JSON costs a fraction of a parse, and it leaves
  // few rows to parse.
  return Sql("(contains(")
      .add(column_)
      .add(", ")
      .param(std::string(text).append("\""))
      .add(") AND ")
      .add(exact)
      .add(")");
}

Sql JsonValue::isAmong(const std::vector<std::string>& texts) const {
  std::vector<std::string> words;
  std::vector<std::string> numbers;
  for (const std::string& text : texts) {
    if (startsLikeNumber(text) && hasOnlyNumberCharacters(text)) {
      for (std::string& form : jsonForms(text)) numbers.push_back(std::move(form));
    } else {
      words.push_back(text);
    }
  }
  if (numbers.empty()) return inList(orEmpty(whole_ ? wholeText() : looseText()), words);
  if (words.empty()) return jsonIsAmong(numbers);
  return Sql("(")
      .add(inList(orEmpty(whole_ ? wholeText() : looseText()), words))
      .add(" OR ")
      .add(jsonIsAmong(numbers))
      .add(")");
}

Sql JsonValue::compares(SqlView sign, std::string_view text) const {
  // Only a text that begins like a number can sort between `5` and `5.0`.
  const Sql value = whole_ || startsLikeNumber(text) ? this->text() : orEmpty(looseText());
  return Sql(value).add(" ").add(sign).add(" ").param(std::string(text));
}

Sql JsonValue::contains(std::string_view needle, bool case_insensitive, NullSemantics nulls) const {
  if (needle.empty()) return Sql("TRUE");
  const bool in_fraction = needle == "0" || needle.ends_with('.') || needle.ends_with(".0");
  const bool like_number = hasOnlyNumberCharacters(needle);
  const Sql haystack = whole_ || (like_number && in_fraction) ? text() : looseTextFor(nulls);
  if (case_insensitive) {
    return Sql("contains(")
        .add(lower(haystack))
        .add(", lower(")
        .param(std::string(needle))
        .add("))");
  }
  Sql exact = Sql("contains(").add(haystack).add(", ").param(std::string(needle)).add(")");
  // The JSON of a number can differ from its text.
  if (!isPlain(needle) || like_number) return exact;
  return Sql("(contains(")
      .add(column_)
      .add(", ")
      .param(std::string(needle))
      .add(") AND ")
      .add(exact)
      .add(")");
}

Sql integerOfText(const Sql& text) {
  return tryCast(call("regexp_extract", text, kTextInteger), "BIGINT");
}
Sql realOfText(const Sql& text) {
  return tryCast(call("regexp_extract", text, kTextReal), "DOUBLE");
}
Sql booleanOfText(const Sql& text) {
  return booleanOfWord(call("regexp_extract", text, kTextBoolean));
}

}  // namespace spindle::query
