#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "json/writer.h"
#include "schema/compound.h"
#include "schema/type.h"

namespace spindle::schema {

/// The treatment of members that the record does not declare.
enum class Extra { kIgnore, kForbid, kKeep };

namespace detail {

struct Field {
  std::string name;
  std::string vendor_name;  ///< name in the vendor wire profile; empty if it is the same
  std::string doc;
  TypePtr type;
  std::size_t offset = 0;  ///< of the member inside the record
  bool required = true;
  bool omit_null = false;

  /// Returns true if `key` is the neutral or the vendor name of the field.
  bool isNamed(const json::Node& key) const;
  const std::string& nameIn(Spelling spelling) const;
};

/// The type-erased implementation of Record<T>.
class RecordType final : public Type {
 public:
  RecordType(std::string name, Extra extra, std::shared_ptr<const void> prototype)
      : name_(std::move(name)), extra_(extra), prototype_(std::move(prototype)) {}

  void addField(std::string_view name,
                std::string_view doc,
                const TypePtr& type,
                std::size_t offset,
                bool required);
  Field& lastField() { return fields_.back(); }
  void keepExtras(void* (*slot)(void* record, std::size_t offset, std::string name),
                  std::size_t offset);
  void addCheck(std::function<std::optional<RuleError>(const void*)> check) {
    checks_.push_back(std::move(check));
  }
  const std::vector<Field>& fields() const { return fields_; }

  bool read(const json::Node& input, const Path& path, void* out, Report& report) const override;
  void write(const void* value, json::Writer& out, Spelling spelling) const override;
  void describe(json::Writer& out, Components& components) const override;
  void describeInline(json::Writer& out, Components& components) const override;
  /// Writes the JSON Schema of one field, with its description and default, as an object.
  void describeField(const Field& field, json::Writer& out, Components& components) const;
  /// Writes the JSON Schema of a path, query or header parameter, which is never null.
  void describeParameter(const Field& field, json::Writer& out, Components& components) const;

 private:
  bool readFields(const json::Node& input, const Path& path, void* out, Report& report) const;
  bool readExtra(const json::Node& key,
                 const json::Node& value,
                 const Path& path,
                 void* out,
                 Report& report) const;
  bool runChecks(const json::Node& input, const Path& path, const void* out, Report& report) const;

  std::string name_;
  Extra extra_;
  std::shared_ptr<const void> prototype_;  ///< default-constructed record with the default values
  std::vector<Field> fields_;
  std::vector<std::function<std::optional<RuleError>(const void*)>> checks_;
  void* (*extra_slot_)(void* record, std::size_t offset, std::string name) = nullptr;
  std::size_t extra_offset_ = 0;
};

}  // namespace detail

/// Declares a JSON object once, for parsing, the complete list of errors, writing and the OpenAPI
/// schema. T must be default-constructible; a default-constructed T contains the defaults of the
/// optional members. Declare neutral names: reading also accepts the names of the vendor wire
/// profile, and writing uses them on request.
///
///     schema::Record<NewUser>("NewUser", Extra::kForbid)
///         .required("username", &NewUser::username, string({.min_length = 1}), "Unique.")
///         .optional("name", &NewUser::name, nullable(string()), "Full name.")
///         .codec();
template <class T>
class Record {
 public:
  explicit Record(std::string name, Extra extra = Extra::kIgnore)
      : sample_(std::make_shared<T>()),
        type_(std::make_shared<detail::RecordType>(std::move(name), extra, sample_)) {}

  template <class M, class B>
  Record& required(std::string_view name,
                   M B::*member,
                   const Codec<M>& codec,
                   std::string_view doc = {}) {
    return field(name, member, codec, doc, true);
  }
  template <class M, class B>
  Record& optional(std::string_view name,
                   M B::*member,
                   const Codec<M>& codec,
                   std::string_view doc = {}) {
    return field(name, member, codec, doc, false);
  }
  /// Omits the field that was declared last from the output if it is null.
  Record& omitNull() {
    type_->lastField().omit_null = true;
    return *this;
  }
  /// Sets the struct member that stores undeclared members. Requires Extra::kKeep.
  template <class B>
  Record& extras(MapOf<json::Text> B::*member) {
    type_->keepExtras(
        [](void* record, std::size_t offset, std::string name) -> void* {
          auto& map = *reinterpret_cast<MapOf<json::Text>*>(static_cast<char*>(record) + offset);
          return &map.emplace_back(std::move(name), json::Text{}).second;
        },
        offsetOf(member));
    return *this;
  }
  /// Adds a rule over the whole record. It runs only if every member is valid.
  Record& check(std::function<std::optional<RuleError>(const T&)> rule) {
    type_->addCheck([rule = std::move(rule)](const void* record) {
      return rule(*static_cast<const T*>(record));
    });
    return *this;
  }

  Codec<T> codec() const { return Codec<T>(type_); }
  const detail::RecordType& type() const { return *type_; }
  std::shared_ptr<const detail::RecordType> sharedType() const { return type_; }

 private:
  template <class M, class B>
  Record& field(std::string_view name,
                M B::*member,
                const Codec<M>& codec,
                std::string_view doc,
                bool required) {
    type_->addField(name, doc, codec.type(), offsetOf(member), required);
    return *this;
  }

  template <class M, class B>
  std::size_t offsetOf(M B::*member) const {
    static_assert(std::is_base_of_v<B, T>);
    const T& sample = *sample_;
    return static_cast<std::size_t>(reinterpret_cast<const char*>(&(sample.*member)) -
                                    reinterpret_cast<const char*>(&sample));
  }

  std::shared_ptr<const T> sample_;
  std::shared_ptr<detail::RecordType> type_;
};

}  // namespace spindle::schema
