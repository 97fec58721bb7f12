#pragma once

/// Declarations for headers that only refer to the metadata database.
namespace spindle::storage {

class Database;
class Row;
class Session;

}  // namespace spindle::storage
