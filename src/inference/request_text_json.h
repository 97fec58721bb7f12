#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace spindle::inference {

/// What the gateway writes into a request before it sends it on.
struct RequestEdits {
  std::string_view model;
  bool include_usage = false;        ///< have a stream tell its usage at the end
  std::string_view limit_name = {};  ///< `max_tokens` or its newer name
  std::optional<std::int64_t> limit = {};
  bool tokens = false;  ///< have it tell tokens and their logprobs, unless the request says
};

/// A request as it came, and where in it stands what the gateway may have to change: everything
/// else goes on byte for byte, members that nobody here knows too.
class RequestText {
 public:
  RequestText() = default;
  /// @return kInvalidArgument when the body is not a JSON object.
  static Result<RequestText> of(std::string body);

  const std::string& text() const { return text_; }
  std::string with(const RequestEdits& edits) const;

 private:
  struct Place {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  struct Edit {
    Place place;
    std::string text;
  };

  /// A member that is written where the request has none, or null.
  struct Switch {
    std::string_view name;
    std::optional<Place> place = {};
    bool is_null = false;
  };

  Edit usageEdit() const;
  void addSwitches(std::vector<Edit>& changes) const;

  std::string text_;
  bool is_empty_ = true;  ///< without any member
  std::vector<Place> models_;
  std::optional<Place> stream_options_;
  bool options_are_object_ = false;
  bool options_are_empty_ = true;
  std::optional<Place> include_usage_;
  std::array<Switch, 2> switches_{{{"logprobs"}, {"return_token_ids"}}};
};

}  // namespace spindle::inference
