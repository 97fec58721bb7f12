#pragma once

#include <memory>
#include <string>

#include "clickhouse/client/client.h"

namespace spindle::clickhouse {

/// A new, empty database on the server of the environment variable SPINDLE_TEST_CLICKHOUSE. The
/// destructor drops it.
class DatabaseForTest {
 public:
  /// Returns false if the environment names no server; skip the test then.
  static bool isAvailable();

  /// @throws std::runtime_error if the server does not create the database.
  DatabaseForTest();
  ~DatabaseForTest();
  DatabaseForTest(const DatabaseForTest&) = delete;
  DatabaseForTest& operator=(const DatabaseForTest&) = delete;

  /// Returns the options of a client of this database.
  ClientOptions options() const;
  Client& client() { return *client_; }

 private:
  std::string name_;
  std::unique_ptr<Client> client_;
};

}  // namespace spindle::clickhouse
