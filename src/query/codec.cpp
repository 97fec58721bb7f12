#include "query/codec.h"

#include <memory>
#include <string>
#include <utility>

#include "base/core/paging.h"
#include "query/grammar.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"
#include "wire/spelling.h"

namespace spindle::query {
namespace {

using schema::Codec, schema::Components, schema::Path, schema::Record, schema::Report,
    schema::Spelling;

/// Checks the size limits of a query. It checks the byte size before it reads anything, so that a
/// huge query costs no memory.
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
          .required("direction", &SortForm::direction, schema::literal({"asc", "desc"}))
          .codec();
};

}  // namespace

Codec<Query> queryCodec() {
  const Codec<Query> record = Record<Query>("Query", schema::Extra::kForbid)
                                  .required("$expr", &Query::expression, operationCodec(),
                                            "The operation that must be true for a row to match.")
                                  .codec();
  return Codec<Query>(std::make_shared<BoundedType>(record));
}

Codec<std::vector<SortKey>> sortCodec() {
  return schema::list(Codec<SortKey>(std::make_shared<SortKeyType>()), {.max_items = kMaxSortKeys});
}

}  // namespace spindle::query
