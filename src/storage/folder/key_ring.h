#pragma once

#include <string_view>

#include "base/crypto/crypto.h"
#include "base/crypto/secret.h"
#include "storage/database/migration.h"
#include "storage/folder/data_folder.h"

namespace spindle::storage {

class Database;

/// The server's secret key, and keys derived from it: one per purpose, so that no key reveals
/// another. Immutable; safe to share between threads.
class KeyRing {
 public:
  /// Uses the given key (64 hexadecimal digits, or any text of at least 32 characters), else the
  /// file `secret-key` of the folder, which the first start creates.
  /// @throws std::runtime_error if the given text is too short or the file is damaged.
  static KeyRing load(const DataFolder& folder, const Secret& given);

  /// Returns true if load() would find a key and create none.
  static bool exists(const DataFolder& folder, const Secret& given);

  /// Creates a key ring from this key, for tests and for callers with their own key source.
  explicit KeyRing(const Sha256& master) : master_(master) {}

  /// Derives the key for one purpose, such as `api-keys`. The same label always gives the same key.
  Sha256 derive(std::string_view label) const;

  /// Stores a check value of the key on the first call, and rejects any other key later: with a
  /// wrong key, all API keys and secrets would silently stop working.
  /// @throws std::runtime_error if the data was written with another key.
  void confirm(Database& database) const;

  /// Returns false if the data was written with another key. Changes nothing.
  /// @throws std::runtime_error if the database cannot be read.
  bool isKeyOf(Database& database) const;

 private:
  Sha256 master_;
};

/// Returns the schema of this area's own tables.
AreaSchema storageSchema();

}  // namespace spindle::storage
