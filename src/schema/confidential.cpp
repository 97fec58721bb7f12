#include "schema/confidential.h"

#include <deque>
#include <utility>
#include <variant>

#include "schema/wrapper_type.h"

namespace spindle::schema {
namespace {

class ConfidentialType final : public WrapperType {
 public:
  using WrapperType::WrapperType;

  bool read(const json::Node& input, const Path& path, void* out, Report& report) const override {
    Report own(report.strict(), report.spelling());
    const bool fine = inner().read(input, path, out, own);
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

  void describeInline(json::Writer& out, Components& components) const override {
    inner().describeInline(out, components);
  }
};

}  // namespace

TypePtr detail::confidentialType(TypePtr inner) {
  return std::make_shared<ConfidentialType>(std::move(inner));
}

}  // namespace spindle::schema
