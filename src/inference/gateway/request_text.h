#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"

namespace spindle::inference {

/// The changes that the gateway makes to a request before it forwards the request.
struct RequestEdits {
  std::string_view model;
  bool include_usage = false;        ///< request the usage at the end of a stream
  std::string_view limit_name = {};  ///< `max_tokens` or its newer name
  std::optional<std::int64_t> limit = {};
  bool tokens = false;  ///< request token ids and logprobs, unless the request sets the options
};

/// The text of a request body with the positions of the members that the gateway may change. All
/// other bytes, including unknown members, are forwarded unchanged.
class RequestText {
 public:
  RequestText() = default;
  /// Parses a body. @return kInvalidArgument if it is not a JSON object.
  static Result<RequestText> of(std::string body);

  const std::string& text() const { return text_; }
  /// Returns the body with the changes.
  std::string with(const RequestEdits& edits) const;

 private:
  struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  struct Edit {
    Range range;
    std::string text;
  };

  /// A member that is set to true if the request does not contain it or has null.
  struct Switch {
    std::string_view name;
    std::optional<Range> range = {};
    bool is_null = false;
  };

  Edit usageEdit() const;
  void addSwitches(std::vector<Edit>& changes) const;

  std::string text_;
  bool is_empty_ = true;  ///< the object has no members
  std::vector<Range> models_;
  std::optional<Range> stream_options_;
  bool options_are_object_ = false;
  bool options_are_empty_ = true;
  std::optional<Range> include_usage_;
  std::array<Switch, 2> switches_{{{"logprobs"}, {"return_token_ids"}}};
};

}  // namespace spindle::inference
