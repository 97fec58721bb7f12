#pragma once

#include <string_view>

#include "base/crypto.h"
#include "base/secret.h"
#include "storage/data_folder.h"
#include "storage/migration.h"

namespace spindle::storage {

class Database;

/// The server's secret key, and the keys made from it: one per purpose, so that none says anything
/// about another. Immutable, safe to share between threads.
class KeyRing {
 public:
  /// Takes the key that was given (64 hexadecimal digits, or any text of at least 32 characters),
  /// else the file `secret-key` of the folder, which is made on the first start.
  /// @throws std::runtime_error when the given text is too short or the file is damaged.
  static KeyRing load(const DataFolder& folder, const Secret& given);

  /// A ring over this key, for tests and for callers with their own source of it.
  explicit KeyRing(const Sha256& master) : master_(master) {}

  /// The key for one purpose, such as `api-keys`. The same label always gives the same key.
  Sha256 derive(std::string_view label) const;

  /// Remembers on the first call which key the data belongs to, and refuses any other one later:
  /// with a wrong key every API key and every secret would silently stop working.
  /// @throws std::runtime_error when the data was written with another key.
  void confirm(Database& database) const;

 private:
  Sha256 master_;
};

/// What this area itself keeps in the database.
AreaSchema storageSchema();

}  // namespace spindle::storage
