#pragma once

#include <optional>
#include <string>

#include "base/crypto/secret.h"

namespace spindle::automation {

/// The names of a webhook's credentials, which its templates may use.
struct CredentialNames {
  bool access_token = false;
  std::string secret = {};  ///< name of the signing secret; empty: none
};

/// The decrypted credentials of a webhook. Kept in memory only for the duration of one delivery.
struct Credentials {
  std::optional<Secret> access_token = {};
  std::string secret_name = {};  ///< empty: no signing secret
  Secret secret = {};
  /// The value before the last rotation, for a second signature; unset 24 hours after the rotation.
  std::optional<Secret> previous_secret = {};

  CredentialNames names() const { return {access_token.has_value(), secret_name}; }
  /// Returns the same names with `***` instead of every value, for output to users.
  Credentials masked() const;
  /// Replaces every value of these credentials in the text by `***`, because an endpoint may echo
  /// them. Keeps values of fewer than four characters, because their replacement would garble the
  /// text.
  std::string maskedIn(std::string text) const;
};

}  // namespace spindle::automation
