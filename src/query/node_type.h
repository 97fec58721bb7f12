#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "query/expression.h"
#include "schema/type.h"

namespace spindle::query {

/// Returns the member name that identifies this kind of node, such as `$and`.
std::string_view keyOf(Operator op);
/// Returns the value of `to` in `$convert`.
std::string_view conversionName(Conversion conversion);

/// `{"$literal": …}`.
struct LiteralForm {
  Literal literal;
};

/// Reads a Literal: any scalar, or a list or map of `{"$literal": …}`.
class LiteralType final : public schema::Type {
 public:
  bool read(const json::Node& input,
            const schema::Path& path,
            void* out,
            schema::Report& report) const override;
  void write(const void* value, json::Writer& out, schema::Spelling spelling) const override;
  void describe(json::Writer& out, schema::Components& components) const override;

  /// Sets the record type `{"$literal": …}`, the item type of lists and maps. It must outlive this
  /// object.
  void setRecord(const schema::Type& record) { record_ = &record; }

 private:
  bool readComposite(const json::Node& input,
                     const schema::Path& path,
                     Literal& literal,
                     schema::Report& report) const;

  const schema::Type* record_ = nullptr;
};

/// One kind of node: the name that the original service uses, the key and the record type.
struct NodeAlternative {
  std::string name;
  std::string_view key;
  schema::TypePtr record;
  std::function<bool(const json::Node&, const schema::Path&, Expression&, schema::Report&)> read;
};

/// Reads an Expression that is one of several kinds of node. Unlike schema::anyOf(), it tries only
/// the kinds whose key the node contains, so that deep queries do not take exponential time.
class NodeType final : public schema::Type {
 public:
  void add(NodeAlternative alternative) { alternatives_.push_back(std::move(alternative)); }

  bool read(const json::Node& input,
            const schema::Path& path,
            void* out,
            schema::Report& report) const override;
  void write(const void* value, json::Writer& out, schema::Spelling spelling) const override;
  void describe(json::Writer& out, schema::Components& components) const override;

 private:
  std::vector<NodeAlternative> alternatives_;
};

}  // namespace spindle::query
