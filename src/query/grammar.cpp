#include "query/grammar.h"

#include <array>
#include <optional>
#include <tuple>
#include <utility>

#include "query/node_type.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "wire/spelling.h"

namespace spindle::query {
namespace {

using schema::Codec, schema::Components, schema::Path, schema::Record, schema::Report,
    schema::Spelling;

// The record types that the codecs read each kind of JSON node into. A node becomes an Expression
// afterwards.
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

constexpr auto kConversions =
    std::to_array<Conversion>({Conversion::kDouble, Conversion::kString, Conversion::kInt,
                               Conversion::kBool, Conversion::kExists});

/// Codec type of Conversion: one of a few fixed texts. Another text is a literal_error, the name
/// that the original service uses.
class ConversionType final : public schema::Type {
 public:
  bool read(const json::Node& input, const Path& path, void* out, Report& report) const override {
    std::string text;
    if (!names_.read(input, path, text, report)) return false;
    auto& conversion = *static_cast<Conversion*>(out);
    for (const Conversion candidate : kConversions) {
      if (conversionName(candidate) == text) conversion = candidate;
    }
    return true;
  }
  void write(const void* value, json::Writer& out, Spelling /*spelling*/) const override {
    out.string(conversionName(*static_cast<const Conversion*>(value)));
  }
  void describe(json::Writer& out, Components& components) const override {
    names_.type()->describe(out, components);
  }

 private:
  Codec<std::string> names_ = schema::literal({"double", "string", "int", "bool", "exists"});
};

/// The mutually recursive codec types of the query language. The single instance lives until the
/// process ends, because the codecs inside hold non-owning handles.
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

  static schema::TypePtr borrowed(const schema::Type& type) {
    return std::shared_ptr<const schema::Type>(std::shared_ptr<const void>(), &type);
  }
  Codec<Expression> operand() const { return Codec<Expression>(borrowed(operand_)); }

  template <class Form>
  static NodeAlternative alternative(std::string_view name,
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

  /// Returns the codec of a record whose only member is the operator's key.
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
    literal_type->setRecord(*literal.type());
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
               "A value converted to another type."),
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
        .required("input", &Convert::input, operand())
        .required("to", &Convert::to, Codec<Conversion>(std::make_shared<ConversionType>()))
        .codec();
  }

  void addOperation(const NodeAlternative& alternative) {
    operand_.add(alternative);
    operation_.add(alternative);
  }

  void addOperations() {
    addList("AndOperation", Operator::kAnd, "All operands are true.");
    addList("OrOperation", Operator::kOr, "At least one operand is true.");
    addOperation(
        alternative<SingleForm>("NotOperation", Operator::kNot,
                                single("NotOperation", Operator::kNot, &SingleForm::operands,
                                       schema::tuple(operand()), "The operand is false."),
                                [](SingleForm&& form, Expression& out) {
                                  out.operands.push_back(std::get<0>(std::move(form.operands)));
                                }));
    addPair("EqOperation", Operator::kEq, "The operands are equal.");
    addPair("GtOperation", Operator::kGt, "The first operand is greater than the second.");
    addPair("LtOperation", Operator::kLt, "The first operand is less than the second.");
    addPair("GteOperation", Operator::kGte,
            "The first operand is greater than or equal to the second.");
    addPair("LteOperation", Operator::kLte,
            "The first operand is less than or equal to the second.");
    addOperation(alternative<InForm>("InOperation", Operator::kIn,
                                     single("InOperation", Operator::kIn, &InForm::operands,
                                            schema::tuple(operand(), schema::list(operand())),
                                            "The first operand equals one item of the list."),
                                     [](InForm&& form, Expression& out) {
                                       out.operands = std::get<1>(std::move(form.operands));
                                       out.operands.insert(out.operands.begin(),
                                                           std::get<0>(std::move(form.operands)));
                                     }));
    addOperation(alternative<ContainsForm>(
        "ContainsOperation", Operator::kContains,
        single("ContainsOperation", Operator::kContains, &ContainsForm::contains, contains(),
               "A text or list that contains another text."),
        [](ContainsForm&& form, Expression& out) {
          out.case_insensitive = form.contains.case_insensitive.value_or(false);
          out.operands.push_back(std::move(form.contains.input));
          out.operands.push_back(std::move(form.contains.substr));
        }));
  }

  Codec<Contains> contains() const {
    return Record<Contains>("ContainsSpec")
        .required("input", &Contains::input, operand())
        .required("substr", &Contains::substr, operand())
        .optional("case_insensitive", &Contains::case_insensitive,
                  schema::nullable(schema::boolean()))
        .codec();
  }

  void addList(std::string_view name, Operator op, std::string_view doc) {
    addOperation(alternative<ListForm>(
        name, op, single(name, op, &ListForm::operands, schema::list(operand()), doc),
        [](ListForm&& form, Expression& out) { out.operands = std::move(form.operands); }));
  }
  void addPair(std::string_view name, Operator op, std::string_view doc) {
    addOperation(alternative<PairForm>(
        name, op, single(name, op, &PairForm::operands, schema::tuple(operand(), operand()), doc),
        [](PairForm&& form, Expression& out) {
          out.operands.push_back(std::get<0>(std::move(form.operands)));
          out.operands.push_back(std::get<1>(std::move(form.operands)));
        }));
  }

  NodeType operand_;
  NodeType operation_;
};

}  // namespace

Codec<Expression> operationCodec() { return Grammar::instance().operation(); }

}  // namespace spindle::query
