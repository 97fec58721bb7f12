#pragma once

#include <optional>
#include <string>

#include "base/secret.h"

namespace spindle::automation {

/// Which credentials a webhook has, by name: what a template may use of them.
struct AttachedNames {
  bool access_token = false;
  std::string secret = {};  ///< name of the other secret; empty: none
};

/// The credentials of a webhook in the clear, for as long as one delivery takes.
struct Credentials {
  std::optional<Secret> access_token = {};
  std::string secret_name = {};  ///< empty: none is attached
  Secret secret = {};
  /// The value before the last rotation, for the second signature; unset once a day has passed.
  std::optional<Secret> previous_secret = {};

  AttachedNames names() const { return {access_token.has_value(), secret_name}; }
  /// The same names with `***` in place of every value, for copies that people see.
  Credentials masked() const;
  /// The text with every value of these credentials replaced by `***`: an endpoint may echo them.
  /// Values of fewer than four characters stay, or the text would be torn to pieces.
  std::string maskedIn(std::string text) const;
};

}  // namespace spindle::automation
