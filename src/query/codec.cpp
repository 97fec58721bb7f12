#include "query/codec.h"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <utility>

#include "json/writer.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "wire/spelling.h"

namespace spindle::query {
namespace {

using schema::Codec;
using schema::Components;
using schema::Path;
using schema::Record;
using schema::Report;
using schema::Spelling;

constexpr std::string_view kNotAnObject =
    "Input should be a valid dictionary or object to extract fields from";

// What the JSON of each kind of node is read into, before it becomes an Expression.
struct LiteralForm {
  Literal literal;
};
struct FieldForm {
  std::string field;
};
struct Convert {
  Expression input;
  Conversion to = Conversion::kString;
};
struct ConvertForm {
  Convert convert;
};
struct SizeForm {
  Expression input;
};
struct ListForm {
  std::vector<Expression> operands;
};
struct SingleForm {
  std::tuple<Expression> operands;
};
struct PairForm {
  std::tuple<Expression, Expression> operands;
};
struct InForm {
  std::tuple<Expression, std::vector<Expression>> operands;
};
struct Contains {
  Expression input;
  Expression substr;
  std::optional<bool> case_insensitive = false;
};
struct ContainsForm {
  Contains contains;
};

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

struct ConversionName {
  Conversion conversion;
  std::string_view name;
};
constexpr auto kConversionNames = std::to_array<ConversionName>({
    {Conversion::kDouble, "double"},
    {Conversion::kString, "string"},
    {Conversion::kInt, "int"},
    {Conversion::kBool, "bool"},
    {Conversion::kExists, "exists"},
});

std::string_view keyOf(Operator op) {
  const auto* found = std::find_if(kOperatorNames.begin(), kOperatorNames.end(),
                                   [op](const OperatorName& name) { return name.op == op; });
  return found->key;
}

/// A literal: any scalar, or a list or map of `{"$literal": …}`.
class LiteralType final : public schema::Type {
 public:
  bool read(const json::Node& input, const Path& path, void* out, Report& report) const override {
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

  void write(const void* value, json::Writer& out, Spelling /*spelling*/) const override {
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

  void describe(json::Writer& out, Components& components) const override {
    const std::string self = components.reference("LiteralOperation", *record_);
    out.key("anyOf").beginArray();
    for (const std::string_view name : {"string", "integer", "number", "boolean"}) {
      out.beginObject().key("type").string(name).endObject();
    }
    out.beginObject().key("type").string("object").key("additionalProperties").beginObject();
    out.key("$ref").string(self).endObject().endObject();
    out.beginObject().key("type").string("array").key("items").beginObject();
    out.key("$ref").string(self).endObject().endObject();
    out.beginObject().key("type").string("null").endObject().endArray();
  }

  /// The record that this is the only member of: what lists and maps consist of.
  void belongTo(const schema::Type& record) { record_ = &record; }

 private:
  static std::optional<std::int64_t> integerOf(const json::Node& input) {
    if (input.kind() != json::Kind::kInteger) return std::nullopt;
    return input.integer();
  }

  bool readComposite(const json::Node& input,
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

  const schema::Type* record_ = nullptr;
};

/// One kind of node.
struct Alternative {
  std::string name;
  std::string_view key;
  std::shared_ptr<const schema::Type> record;
  std::function<bool(const json::Node&, const Path&, Expression&, Report&)> read;
};

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
      out.key("to").string(kConversionNames[static_cast<std::size_t>(expression.conversion)].name);
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

/// One of several kinds of node. Unlike schema::anyOf() it reads a node only as what its member
/// names say that it is, so that deep queries do not take exponential time.
class NodeType final : public schema::Type {
 public:
  void add(Alternative alternative) { alternatives_.push_back(std::move(alternative)); }

  bool read(const json::Node& input, const Path& path, void* out, Report& report) const override {
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
  void write(const void* value, json::Writer& out, Spelling /*spelling*/) const override {
    writeExpression(*static_cast<const Expression*>(value), out);
  }
  void describe(json::Writer& out, Components& components) const override {
    out.key("anyOf").beginArray();
    for (const Alternative& alternative : alternatives_) {
      out.beginObject();
      alternative.record->describe(out, components);
      out.endObject();
    }
    out.endArray();
  }

 private:
  std::vector<Alternative> alternatives_;
};

/// Types that contain one another. Made once, and never gone: the handles inside do not own.
class Grammar {
 public:
  static const Grammar& instance() {
    static const Grammar grammar;
    return grammar;
  }
  Grammar(const Grammar&) = delete;
  Grammar& operator=(const Grammar&) = delete;

  Codec<Expression> operation() const { return Codec<Expression>(borrowed(operation_)); }

 private:
  Grammar() {
    addOperands();
    addOperations();
  }
  ~Grammar() = default;

  static std::shared_ptr<const schema::Type> borrowed(const schema::Type& type) {
    return {std::shared_ptr<const void>(), &type};
  }
  Codec<Expression> operand() const { return Codec<Expression>(borrowed(operand_)); }

  template <class Form>
  static Alternative alternative(std::string_view name,
                                 Operator op,
                                 const Codec<Form>& codec,
                                 void (*fill)(Form&&, Expression&)) {
    return {std::string(name), keyOf(op), codec.type(),
            [op, codec, fill](const json::Node& input, const Path& path, Expression& out,
                              Report& report) {
              Form form;
              if (!codec.read(input, path, form, report)) return false;
              out.op = op;
              fill(std::move(form), out);
              return true;
            }};
  }

  /// A record whose only member is the operator's.
  template <class Form, class Member>
  static Codec<Form> single(std::string_view name,
                            Operator op,
                            Member Form::*member,
                            const Codec<Member>& codec,
                            std::string_view doc) {
    return Record<Form>(std::string(name)).required(keyOf(op), member, codec, doc).codec();
  }

  void addOperands() {
    const auto literal_type = std::make_shared<LiteralType>();
    const Codec<LiteralForm> literal =
        single("LiteralOperation", Operator::kLiteral, &LiteralForm::literal,
               Codec<Literal>(literal_type), "A value.");
    literal_type->belongTo(*literal.type());
    operand_.add(alternative<LiteralForm>(
        "LiteralOperation", Operator::kLiteral, literal,
        [](LiteralForm&& form, Expression& out) { out.literal = std::move(form.literal); }));
    operand_.add(alternative<FieldForm>(
        "GetFieldOperator", Operator::kField,
        single("GetFieldOperator", Operator::kField, &FieldForm::field, schema::string(),
               "The dotted path of a field."),
        [](FieldForm&& form, Expression& out) { out.field = wire::neutralField(form.field); }));
    operand_.add(alternative<ConvertForm>(
        "ConvertOperation", Operator::kConvert,
        single("ConvertOperation", Operator::kConvert, &ConvertForm::convert, convert(),
               "A value read as something else."),
        [](ConvertForm&& form, Expression& out) {
          out.conversion = form.convert.to;
          out.operands.push_back(std::move(form.convert.input));
        }));
    operand_.add(alternative<SizeForm>(
        "SizeOperation", Operator::kSize,
        single("SizeOperation", Operator::kSize, &SizeForm::input, operand(),
               "The length of a text or a list."),
        [](SizeForm&& form, Expression& out) { out.operands.push_back(std::move(form.input)); }));
  }

  Codec<Convert> convert() const {
    return Record<Convert>("ConvertSpec")
        .required("input", &Convert::input, operand(), "")
        .required("to", &Convert::to, conversion(), "")
        .codec();
  }

  static Codec<Conversion> conversion();

  void addOperation(const Alternative& alternative) {
    operand_.add(alternative);
    operation_.add(alternative);
  }

  void addOperations() {
    addList("AndOperation", Operator::kAnd, "All of these.");
    addList("OrOperation", Operator::kOr, "Any of these.");
    addOperation(alternative<SingleForm>(
        "NotOperation", Operator::kNot,
        single("NotOperation", Operator::kNot, &SingleForm::operands, schema::tuple(operand()),
               "Not this."),
        [](SingleForm&& form, Expression& out) {
          out.operands.push_back(std::get<0>(std::move(form.operands)));
        }));
    addPair("EqOperation", Operator::kEq, "Both are equal.");
    addPair("GtOperation", Operator::kGt, "The first is greater.");
    addPair("LtOperation", Operator::kLt, "The first is less.");
    addPair("GteOperation", Operator::kGte, "The first is greater or equal.");
    addPair("LteOperation", Operator::kLte, "The first is less or equal.");
    addOperation(alternative<InForm>(
        "InOperation", Operator::kIn,
        single("InOperation", Operator::kIn, &InForm::operands,
               schema::tuple(operand(), schema::list(operand())), "The first is one of these."),
        [](InForm&& form, Expression& out) {
          out.operands = std::get<1>(std::move(form.operands));
          out.operands.insert(out.operands.begin(), std::get<0>(std::move(form.operands)));
        }));
    addOperation(alternative<ContainsForm>(
        "ContainsOperation", Operator::kContains,
        single("ContainsOperation", Operator::kContains, &ContainsForm::contains, contains(),
               "A text inside another."),
        [](ContainsForm&& form, Expression& out) {
          out.case_insensitive = form.contains.case_insensitive.value_or(false);
          out.operands.push_back(std::move(form.contains.input));
          out.operands.push_back(std::move(form.contains.substr));
        }));
  }

  Codec<Contains> contains() const {
    return Record<Contains>("ContainsSpec")
        .required("input", &Contains::input, operand(), "")
        .required("substr", &Contains::substr, operand(), "")
        .optional("case_insensitive", &Contains::case_insensitive,
                  schema::nullable(schema::boolean()), "")
        .codec();
  }

  void addList(std::string_view name, Operator op, std::string_view doc) {
    addOperation(alternative<ListForm>(
        name, op, single(name, op, &ListForm::operands, schema::list(operand()), doc),
        [](ListForm&& form, Expression& out) { out.operands = std::move(form.operands); }));
  }
  void addPair(std::string_view name, Operator op, std::string_view doc) {
    addOperation(alternative<PairForm>(
        name, op,
        single(name, op, &PairForm::operands, schema::tuple(operand(), operand()), doc),
        [](PairForm&& form, Expression& out) {
          out.operands.push_back(std::get<0>(std::move(form.operands)));
          out.operands.push_back(std::get<1>(std::move(form.operands)));
        }));
  }

  NodeType operand_;
  NodeType operation_;
};

/// One of a few fixed texts, kept as an enumeration: literal_error, as the original names it.
class ConversionType final : public schema::Type {
 public:
  bool read(const json::Node& input, const Path& path, void* out, Report& report) const override {
    std::string text;
    if (!names_.read(input, path, text, report)) return false;
    for (const ConversionName& name : kConversionNames) {
      if (name.name == text) *static_cast<Conversion*>(out) = name.conversion;
    }
    return true;
  }
  void write(const void* value, json::Writer& out, Spelling /*spelling*/) const override {
    out.string(
        kConversionNames[static_cast<std::size_t>(*static_cast<const Conversion*>(value))].name);
  }
  void describe(json::Writer& out, Components& components) const override {
    names_.type()->describe(out, components);
  }

 private:
  Codec<std::string> names_ = schema::literal({"double", "string", "int", "bool", "exists"});
};

Codec<Conversion> Grammar::conversion() {
  return Codec<Conversion>(std::make_shared<ConversionType>());
}

/// Looks at the size before anything is read, so that a huge query costs no memory.
class BoundedType final : public schema::Type {
 public:
  explicit BoundedType(Codec<Query> inner) : inner_(std::move(inner)) {}

  bool read(const json::Node& input, const Path& path, void* out, Report& report) const override {
    Query& query = *static_cast<Query*>(out);
    if (input.raw().size() > kMaxQueryBytes) {
      report.add(path, schema::valueError("the query is too large"), input.raw());
      return false;
    }
    if (!inner_.read(input, path, query, report)) return false;
    std::size_t literals = 0;
    std::size_t operators = 0;
    visit(std::as_const(query.expression), [&literals, &operators](const Expression& node) {
      ++(node.op == Operator::kLiteral ? literals : operators);
    });
    if (literals <= kMaxLiterals && operators <= kMaxOperators) return true;
    report.add(path, schema::valueError("the query has too many operands"), input.raw());
    return false;
  }
  void write(const void* value, json::Writer& out, Spelling spelling) const override {
    inner_.write(*static_cast<const Query*>(value), out, spelling);
  }
  void describe(json::Writer& out, Components& components) const override {
    inner_.type()->describe(out, components);
  }

 private:
  Codec<Query> inner_;
};

struct SortForm {
  std::string field;
  std::string direction;
};

class SortKeyType final : public schema::Type {
 public:
  bool read(const json::Node& input, const Path& path, void* out, Report& report) const override {
    SortForm form;
    if (!codec_.read(input, path, form, report)) return false;
    *static_cast<SortKey*>(out) = {wire::neutralField(form.field), form.direction == "desc"};
    return true;
  }
  void write(const void* value, json::Writer& out, Spelling spelling) const override {
    const SortKey& key = *static_cast<const SortKey*>(value);
    codec_.write({key.field, key.descending ? "desc" : "asc"}, out, spelling);
  }
  void describe(json::Writer& out, Components& components) const override {
    codec_.type()->describe(out, components);
  }

 private:
  Codec<SortForm> codec_ =
      Record<SortForm>("SortBy")
          .required("field", &SortForm::field, schema::string(), "The dotted path of a field.")
          .required("direction", &SortForm::direction, schema::literal({"asc", "desc"}), "")
          .codec();
};

}  // namespace

Codec<Query> queryCodec() {
  const Codec<Query> record =
      Record<Query>("Query", schema::Extra::kForbid)
          .required("$expr", &Query::expression, Grammar::instance().operation(),
                    "An operation: what must hold.")
          .codec();
  return Codec<Query>(std::make_shared<BoundedType>(record));
}

Codec<std::vector<SortKey>> sortCodec() {
  return schema::list(Codec<SortKey>(std::make_shared<SortKeyType>()));
}

}  // namespace spindle::query
