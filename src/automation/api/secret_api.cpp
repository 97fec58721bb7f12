#include "automation/api/automation_api.h"
#include "automation/api/paths.h"
#include "automation/payloads/payload_variable.h"
#include "automation/webhooks/secret_store.h"
#include "http/router/resource.h"
#include "identity/access/access.h"
#include "identity/api/user_view.h"
#include "schema/confidential.h"

namespace spindle::automation {
namespace {

using http::Context, http::Reply;
using identity::TeamAccess;
using schema::Extra, schema::string;

struct SecretsQuery : http::PageQuery {
  std::string team;
};
struct SecretPath {
  std::string team;
  std::string name;
  bool force = false;
};
struct NewSecretBody {
  std::string name;
  std::string value;
};
struct SecretValueBody {
  std::string value;
};

schema::Codec<std::string> valueCodec() {
  return schema::checked<std::string>(
      string({.min_length = 1}), [](const std::string& value) -> std::optional<schema::RuleError> {
        if (value.size() <= kMaxSecretBytes) return std::nullopt;
        return schema::RuleError{"string_too_long", "A secret has at most 65536 bytes", {}};
      });
}

schema::Codec<std::string> secretNameCodec() {
  return schema::checked<std::string>(
      string({.pattern = kSecretNamePattern}),
      [](const std::string& name) -> std::optional<schema::RuleError> {
        if (!isReservedSecretName(name)) return std::nullopt;
        return schema::RuleError{
            "reserved_name", "The name is reserved for a payload variable", {}};
      });
}

schema::Codec<SecretEntry> secretCodec() {
  return schema::Record<SecretEntry>("Secret")
      .required("id", &SecretEntry::id, string(), "Assigned by the server.")
      .required("name", &SecretEntry::name, string(), "Unique in the team.")
      .required("version", &SecretEntry::version, schema::integer(),
                "Increases with every rotation.")
      .required("used_by_count", &SecretEntry::used_by_count, schema::integer(),
                "Number of webhooks that use the secret.")
      .required("created_at", &SecretEntry::created_at, schema::dateTime())
      .required("updated_at", &SecretEntry::updated_at, schema::dateTime())
      .codec();
}

http::Parameters<SecretPath> secretPath() {
  return inTeam<SecretPath>().path("name", &SecretPath::name, string(), "Name of the secret.");
}

Result<identity::Page<SecretEntry>> listSecrets(const AutomationServices& services,
                                                const Context& context,
                                                const SecretsQuery& query) {
  const TeamAccess access = TRY(services.access.requireInTeam(context.caller().user_id, query.team,
                                                              identity::Action::kListSecrets));
  const identity::PageRequest request = TRY(identity::pageRequestOf(query));
  return services.secrets.list(access.team_id, request);
}

Result<TeamAccess> requireManageSecrets(const AutomationServices& services,
                                        const Context& context,
                                        const SecretPath& path) {
  return services.access.requireInTeam(context.caller().user_id, path.team,
                                       identity::Action::kManageSecrets);
}

Result<SecretEntry> createSecret(const AutomationServices& services,
                                 const Context& context,
                                 const SecretPath& path,
                                 NewSecretBody body) {
  const Secret value(std::move(body.value));
  const TeamAccess access = TRY(requireManageSecrets(services, context, path));
  return services.secrets.insert({access.team_id, body.name}, value);
}

Result<Reply<SecretEntry>> rotateSecret(const AutomationServices& services,
                                        const Context& context,
                                        const SecretPath& path,
                                        SecretValueBody body) {
  const Secret value(std::move(body.value));
  const TeamAccess access = TRY(requireManageSecrets(services, context, path));
  const std::optional<std::int64_t> version = TRY(http::expectedVersion(context.request.headers));
  const SecretEntry entry =
      TRY(services.secrets.rotate({access.team_id, path.name}, value, version));
  return http::versionedReply(entry, entry.version);
}

Result<void> removeSecret(const AutomationServices& services,
                          const Context& context,
                          const SecretPath& path) {
  const TeamAccess access = TRY(requireManageSecrets(services, context, path));
  const std::optional<std::int64_t> version = TRY(http::expectedVersion(context.request.headers));
  return services.secrets.remove({access.team_id, path.name}, path.force, version);
}

}  // namespace

void addSecretRoutes(AutomationRoutes routes) {
  routes.setTag(kWebhooksTag);
  const std::string all = "/api/v1/teams/{team}/secrets";
  const std::string one = all + "/{name}";
  const http::Resource<AutomationServices, SecretPath, SecretEntry, SecretEntry> secrets(
      routes, {all, one}, secretPath(), secretCodec(), &SecretEntry::version);
  secrets.list({"listSecrets", "List the secrets of a team",
                "Without their values, newest first. For admins and members."},
               "SecretPage", inTeam(http::pageParameters<SecretsQuery>()), listSecrets);
  secrets.create(
      {"createSecret", "Create a secret",
       "The value is stored encrypted and never returned. For team admins."},
      inTeam<SecretPath>(),
      schema::confidential(
          schema::Record<NewSecretBody>("NewSecret", Extra::kForbid)
              .required("name", &NewSecretBody::name, secretNameCodec(),
                        "Letters, digits and underscores; the variable name in payloads.")
              .required("value", &NewSecretBody::value, valueCodec(), "1 byte to 64 KiB.")
              .codec()),
      createSecret);
  routes.put(one,
             {"rotateSecret", "Rotate a secret",
              "Payloads use the new value at once. For 24 hours, signatures are made with "
              "the old value as well. For team admins."},
             {.params = secretPath(),
              .body = schema::confidential(
                  schema::Record<SecretValueBody>("SecretValue", Extra::kForbid)
                      .required("value", &SecretValueBody::value, valueCodec(), "1 byte to 64 KiB.")
                      .codec()),
              .reply = secretCodec(),
              .facts = {.etag = true, .if_match = true}},
             rotateSecret);
  secrets.remove(
      {"deleteSecret", "Delete a secret", "For team admins."},
      secretPath().query("force", &SecretPath::force, schema::boolean(),
                         "Deletes the secret even if webhooks use it; their deliveries then fail."),
      removeSecret);
}

}  // namespace spindle::automation
