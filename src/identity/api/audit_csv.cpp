#include "identity/api/audit_csv.h"

#include <optional>

#include "base/core/time.h"

namespace spindle::identity {
namespace {

void appendField(std::string_view text, std::string& out) {
  if (!out.empty() && out.back() != '\n') out += ',';
  out += '"';
  if (!text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos) {
    out += '\'';
  }
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

}  // namespace

std::string_view auditCsvHeader() {
  return "id,created_at,actor,actor_id,credential,action,target_kind,target_id,target_name,team,"
         "project,address,user_agent,request_id,details\r\n";
}

void appendAuditCsv(const AuditEntry& entry, std::string& out) {
  const auto field = [&out](const std::optional<std::string>& text) {
    appendField(text ? std::string_view(*text) : std::string_view(), out);
  };
  appendField(entry.id, out);
  appendField(formatTimestamp(entry.created_at), out);
  field(entry.actor);
  field(entry.actor_id);
  field(entry.credential);
  appendField(entry.action, out);
  appendField(entry.targetKind(), out);
  field(entry.target_id);
  field(entry.target_name);
  field(entry.team);
  field(entry.project);
  field(entry.address);
  field(entry.user_agent);
  field(entry.request_id);
  field(entry.details);
  out += "\r\n";
}

}  // namespace spindle::identity
