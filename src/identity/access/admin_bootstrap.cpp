#include "identity/access/admin_bootstrap.h"

#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/core/log.h"
#include "identity/store/api_key_repository.h"
#include "identity/store/user_repository.h"
#include "identity/types/api_key.h"
#include "storage/folder/data_folder.h"

namespace spindle::identity {
namespace {

constexpr Logger kLog("identity");
constexpr std::string_view kFileName = "admin-api-key";

template <class T>
T orThrow(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message());
  return *std::move(result);
}

std::string ensureUser(UserRepository& users) {
  const auto existing = [&] { return users.findByUsername(kAdminUsername); };
  Result<User> admin = existing();
  if (!admin && admin.error().code() == ErrorCode::kNotFound) {
    NewUser fresh;
    fresh.username = kAdminUsername;
    fresh.name = "Administrator";
    fresh.organization_admin = true;
    admin = users.insert(fresh);
    if (!admin && admin.error().code() == ErrorCode::kConflict) admin = existing();
  }
  return orThrow(std::move(admin)).id;
}

/// Installs a key. Another server that starts at the same time may install the same one first.
Result<bool> installKey(ApiKeyRepository& keys,
                        const std::string& user_id,
                        const Secret& key,
                        KeySource source) {
  Result<bool> installed = keys.install(user_id, key.reveal(), source);
  if (installed || installed.error().code() != ErrorCode::kConflict) return installed;
  return keys.install(user_id, key.reveal(), source);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

}  // namespace

AdminKey ensureAdmin(UserRepository& users,
                     ApiKeyRepository& keys,
                     const storage::DataFolder& folder,
                     const Secret& given) {
  if (!given.empty() && !isUsableKey(given.reveal())) {
    throw std::runtime_error(
        "SPINDLE_ADMIN_API_KEY must have 20 to 512 visible ASCII characters and no spaces");
  }
  AdminKey admin;
  admin.user_id = ensureUser(users);
  if (!given.empty()) {
    orThrow(installKey(keys, admin.user_id, given, KeySource::kEnvironment));
    return admin;
  }
  admin.file = folder.fileAt(kFileName);
  if (!folder.read(kFileName)) {
    const KeyText generated = newKeyText();
    admin.fresh = folder.create(kFileName, std::string(generated.text.reveal()) + "\n");
  }
  const Secret content(folder.read(kFileName).value_or(""));
  admin.key = Secret(std::string(trimmed(content.reveal())));
  if (!isUsableKey(admin.key.reveal())) {
    throw std::runtime_error("the file " + admin.file +
                             " does not contain a key: delete it to generate a new one");
  }
  admin.valid = orThrow(installKey(keys, admin.user_id, admin.key, KeySource::kFile));
  if (!admin.valid) kLog.warning("admin_key_revoked", {{"file", admin.file}});
  return admin;
}

}  // namespace spindle::identity
