#pragma once

#include <string>
#include <string_view>

#include "identity/store/audit_repository.h"

namespace spindle::identity {

/// The first line of an export as CSV, with its line end.
std::string_view auditCsvHeader();

/// Appends an entry as a line of CSV (RFC 4180). A field that a spreadsheet would run as a formula
/// gets an apostrophe before it.
void appendAuditCsv(const AuditEntry& entry, std::string& out);

}  // namespace spindle::identity
