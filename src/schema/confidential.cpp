#include "schema/confidential.h"

#include <deque>
#include <utility>
#include <variant>

namespace spindle::schema {
namespace {

class ConfidentialType final : public Type {
 public:
  explicit ConfidentialType(std::shared_ptr<const Type> inner) : inner_(std::move(inner)) {}

  bool read(const json::Node& input, const Path& path, void* out, Report& report) const override {
    Report own(report.strict(), report.spelling());
    const bool fine = inner_->read(input, path, out, own);
    for (Violation& violation : own.take()) {
      std::deque<Path> chain;  // a deque, because each step points to the previous one
      for (const LocStep& step : violation.loc) {
        const Path* parent = chain.empty() ? nullptr : &chain.back();
        if (const auto* index = std::get_if<std::int64_t>(&step)) {
          chain.emplace_back(*index, parent);
        } else {
          chain.emplace_back(std::get<std::string>(step), parent);
        }
      }
      report.add(chain.back(),
                 {std::move(violation.type), std::move(violation.msg), std::move(violation.ctx)},
                 "null");
    }
    return fine;
  }

  void write(const void* value, json::Writer& out, Spelling spelling) const override {
    inner_->write(value, out, spelling);
  }
  void describe(json::Writer& out, Components& components) const override {
    inner_->describe(out, components);
  }
  void describeInline(json::Writer& out, Components& components) const override {
    inner_->describeInline(out, components);
  }
  bool isList() const override { return inner_->isList(); }
  bool isNull(const void* value) const override { return inner_->isNull(value); }
  bool isAbsent(const void* value) const override { return inner_->isAbsent(value); }

 private:
  const std::shared_ptr<const Type> inner_;
};

}  // namespace

std::shared_ptr<const Type> detail::confidentialType(std::shared_ptr<const Type> inner) {
  return std::make_shared<ConfidentialType>(std::move(inner));
}

}  // namespace spindle::schema
