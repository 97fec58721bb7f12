#include "query/json_value.h"

#include <algorithm>
#include <utility>

#include "query/digits.h"

namespace spindle::query {
namespace {

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

JsonValue::JsonValue(Sql column, std::vector<std::string> path, const Dialect& dialect)
    : column_(std::move(column)), path_(std::move(path)), dialect_(&dialect) {}

Sql JsonValue::text() const { return dialect_->jsonText(column_, path_); }

Sql JsonValue::looseText() const { return dialect_->jsonLooseText(column_, path_); }

Sql JsonValue::looseTextFor(NullSemantics nulls) const {
  return nulls == NullSemantics::kTruthOnly ? looseText() : orEmpty(looseText());
}

Sql JsonValue::integer() const { return dialect_->jsonInteger(column_, path_); }

Sql JsonValue::real() const { return dialect_->realOfText(looseText()); }

Sql JsonValue::boolean() const { return dialect_->jsonBoolean(column_, path_); }

Sql JsonValue::size() const { return dialect_->jsonSize(column_, path_); }

Sql JsonValue::jsonIsAmong(const std::vector<std::string>& forms) const {
  return inList(orEmpty(dialect_->json(column_, path_)), forms);
}

Sql JsonValue::equals(std::string_view text, NullSemantics nulls) const {
  if (text.empty()) return orEmpty(looseText()).add(" = ''");
  if (startsLikeNumber(text) && hasOnlyNumberCharacters(text)) return jsonIsAmong(jsonForms(text));
  if (startsLikeContainer(text)) {
    return Sql(isWhole() ? this->text() : looseTextFor(nulls)).add(" = ").param(std::string(text));
  }
  Sql exact = looseTextFor(nulls).add(" = ").param(std::string(text));
  if (!isPlain(text) || text == "true" || text == "false") return exact;
  // A search for the end of the string in the raw JSON costs a fraction of a parse, and it leaves
  // few rows to parse.
  return Sql("(")
      .add(dialect_->contains(column_, Sql().param(std::string(text).append("\""))))
      .add(" AND ")
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
  if (numbers.empty()) return inList(orEmpty(isWhole() ? text() : looseText()), words);
  if (words.empty()) return jsonIsAmong(numbers);
  return Sql("(")
      .add(inList(orEmpty(isWhole() ? text() : looseText()), words))
      .add(" OR ")
      .add(jsonIsAmong(numbers))
      .add(")");
}

Sql JsonValue::compares(SqlView sign, std::string_view text) const {
  // Only a text that begins like a number can sort between `5` and `5.0`.
  const Sql value = isWhole() || startsLikeNumber(text) ? this->text() : orEmpty(looseText());
  return Sql(value).add(" ").add(sign).add(" ").param(std::string(text));
}

Sql JsonValue::contains(std::string_view needle, bool case_insensitive, NullSemantics nulls) const {
  if (needle.empty()) return Sql("TRUE");
  const bool in_fraction = needle == "0" || needle.ends_with('.') || needle.ends_with(".0");
  const bool like_number = hasOnlyNumberCharacters(needle);
  const Sql haystack = isWhole() || (like_number && in_fraction) ? text() : looseTextFor(nulls);
  const Sql sought = Sql().param(std::string(needle));
  if (case_insensitive)
    return dialect_->contains(dialect_->lower(haystack), dialect_->lower(sought));
  Sql exact = dialect_->contains(haystack, sought);
  // The JSON of a number can differ from its text.
  if (!isPlain(needle) || like_number) return exact;
  return Sql("(").add(dialect_->contains(column_, sought)).add(" AND ").add(exact).add(")");
}

}  // namespace spindle::query
