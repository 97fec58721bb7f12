#include "query/node_type.h"

#include <algorithm>
#include <array>
#include <optional>

#include "json/writer.h"

namespace spindle::query {
namespace {

using schema::Components, schema::Path, schema::Report, schema::Spelling;

constexpr std::string_view kNotAnObject =
    "Input should be a valid dictionary or object to extract fields from";

struct OperatorName {
  Operator op;
  std::string_view key;
};
constexpr auto kOperatorNames = std::to_array<OperatorName>({
    {Operator::kAnd, "$and"},
    {Operator::kOr, "$or"},
    {Operator::kNot, "$not"},
    {Operator::kEq, "$eq"},
    {Operator::kGt, "$gt"},
    {Operator::kLt, "$lt"},
    {Operator::kGte, "$gte"},
    {Operator::kLte, "$lte"},
    {Operator::kIn, "$in"},
    {Operator::kContains, "$contains"},
    {Operator::kLiteral, "$literal"},
    {Operator::kField, "$getField"},
    {Operator::kConvert, "$convert"},
    {Operator::kSize, "$size"},
});

/// In the order of the enumeration.
constexpr auto kConversionNames =
    std::to_array<std::string_view>({"double", "string", "int", "bool", "exists"});

}  // namespace

std::string_view keyOf(Operator op) {
  const auto* found = std::find_if(kOperatorNames.begin(), kOperatorNames.end(),
                                   [op](const OperatorName& name) { return name.op == op; });
  return found->key;
}

std::string_view conversionName(Conversion conversion) {
  return kConversionNames[static_cast<std::size_t>(conversion)];
}

namespace {

std::optional<std::int64_t> integerOf(const json::Node& input) {
  if (input.kind() != json::Kind::kInteger) return std::nullopt;
  return input.integer();
}

void writeExpression(const Expression& expression, json::Writer& out);

void writeOperands(const Expression& expression, json::Writer& out) {
  const auto& operands = expression.operands;
  out.beginArray();
  const bool among = expression.op == Operator::kIn;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (among && i == 1) out.beginArray();
    writeExpression(operands[i], out);
  }
  if (among && operands.size() == 1) out.beginArray();
  if (among) out.endArray();
  out.endArray();
}

void writeExpression(const Expression& expression, json::Writer& out) {
  out.beginObject().key(keyOf(expression.op));
  switch (expression.op) {
    case Operator::kLiteral:
      LiteralType().write(&expression.literal, out, Spelling::kNeutral);
      break;
    case Operator::kField:
      out.string(expression.field);
      break;
    case Operator::kConvert:
      out.beginObject().key("input");
      writeExpression(expression.operands[0], out);
      out.key("to").string(conversionName(expression.conversion));
      out.endObject();
      break;
    case Operator::kSize:
      writeExpression(expression.operands[0], out);
      break;
    case Operator::kContains:
      out.beginObject().key("input");
      writeExpression(expression.operands[0], out);
      out.key("substr");
      writeExpression(expression.operands[1], out);
      out.key("case_insensitive").boolean(expression.case_insensitive).endObject();
      break;
    default:
      writeOperands(expression, out);
  }
  out.endObject();
}

}  // namespace

bool LiteralType::read(const json::Node& input, const Path& path, void* out, Report& report) const {
  Literal& literal = *static_cast<Literal*>(out);
  if (input.isArray() || input.isObject()) return readComposite(input, path, literal, report);
  if (input.isNull()) {
    literal = std::monostate();
  } else if (input.isBool()) {
    literal = input.boolean();
  } else if (input.isString()) {
    literal = input.text();
  } else if (const std::optional<std::int64_t> integer = integerOf(input)) {
    literal = *integer;
  } else {
    literal = input.number();
  }
  return true;
}

void LiteralType::write(const void* value, json::Writer& out, Spelling /*spelling*/) const {
  const Literal& literal = *static_cast<const Literal*>(value);
  if (const auto* text = std::get_if<std::string>(&literal)) {
    out.string(*text);
  } else if (const auto* integer = std::get_if<std::int64_t>(&literal)) {
    out.integer(*integer);
  } else if (const auto* number = std::get_if<double>(&literal)) {
    out.number(*number);
  } else if (const auto* boolean = std::get_if<bool>(&literal)) {
    out.boolean(*boolean);
  } else if (const auto* composite = std::get_if<Composite>(&literal)) {
    out.raw(composite->json);
  } else {
    out.null();
  }
}

void LiteralType::describe(json::Writer& out, Components& components) const {
  const std::string self = components.reference("LiteralOperation", *record_);
  const std::string item = R"({"$ref":")" + self + R"("})";
  out.key("anyOf").raw(R"([{"type":"string"},{"type":"integer"},{"type":"number"},)"
                       R"({"type":"boolean"},{"type":"object","additionalProperties":)" +
                       item + R"(},{"type":"array","items":)" + item + R"(},{"type":"null"}])");
}

bool LiteralType::readComposite(const json::Node& input,
                                const Path& path,
                                Literal& literal,
                                Report& report) const {
  Report attempt(report.strict(), report.spelling());
  const bool object = input.isObject();
  const Path here(object ? "dict[str,...]" : "list[LiteralOperation]", &path);
  bool good = true;
  std::int64_t position = 0;
  for (auto at = input.begin(); at != input.end() && !attempt.full(); ++at) {
    LiteralForm ignored;
    if (object) {
      const std::string name = (*at).text();
      ++at;
      good = record_->read(*at, Path(name, &here), &ignored, attempt) && good;
    } else {
      good = record_->read(*at, Path(position++, &here), &ignored, attempt) && good;
    }
  }
  if (good) {
    literal = Composite{json::compact(input.raw())};
    return true;
  }
  report.add(Path("str", &path), "string_type", "Input should be a valid string", input);
  report.add(Path("int", &path), "int_type", "Input should be a valid integer", input);
  report.add(Path("float", &path), "float_type", "Input should be a valid number", input);
  report.add(Path("bool", &path), "bool_type", "Input should be a valid boolean", input);
  if (!object) {
    report.add(Path("dict[str,...]", &path), "dict_type", "Input should be a valid dictionary",
               input);
  }
  report.append(std::move(attempt));
  if (object) {
    report.add(Path("list[LiteralOperation]", &path), "list_type", "Input should be a valid list",
               input);
  }
  return false;
}

bool NodeType::read(const json::Node& input, const Path& path, void* out, Report& report) const {
  std::vector<std::optional<Report>> attempts(alternatives_.size());
  for (std::size_t i = 0; input.isObject() && i < alternatives_.size(); ++i) {
    if (!input.find(alternatives_[i].key)) continue;
    attempts[i].emplace(report.strict(), report.spelling());
    Expression read;
    if (alternatives_[i].read(input, Path(alternatives_[i].name, &path), read, *attempts[i])) {
      *static_cast<Expression*>(out) = std::move(read);
      return true;
    }
  }
  for (std::size_t i = 0; i < alternatives_.size() && !report.full(); ++i) {
    const Path here(alternatives_[i].name, &path);
    if (attempts[i]) {
      report.append(*std::move(attempts[i]));
    } else if (input.isObject()) {
      report.add(Path(alternatives_[i].key, &here), "missing", "Field required", input);
    } else {
      report.add(here, "model_attributes_type", kNotAnObject, input);
    }
  }
  return false;
}

void NodeType::write(const void* value, json::Writer& out, Spelling /*spelling*/) const {
  writeExpression(*static_cast<const Expression*>(value), out);
}

void NodeType::describe(json::Writer& out, Components& components) const {
  out.key("anyOf").beginArray();
  for (const NodeAlternative& alternative : alternatives_) {
    out.beginObject();
    alternative.record->describe(out, components);
    out.endObject();
  }
  out.endArray();
}

}  // namespace spindle::query
