#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/cli/automation_command.h"
#include "app/cli/backup_command.h"
#include "app/cli/inference_command.h"
#include "app/cli/migrate_command.h"
#include "app/cli/node_command.h"
#include "app/cli/server_flags.h"
#include "app/cli/training_command.h"
#include "base/core/result.h"
#include "base/core/time.h"
#include "config/loader.h"

namespace spindle::app {

struct ServeCommand {
  bool start_empty = false;  ///< move the content of the data folder aside first
};

struct ShowConfigCommand {
  bool json = false;
};
struct CheckConfigCommand {};
struct PrintReferenceCommand {};

struct DoctorCommand {
  bool json = false;
};

struct VersionCommand {};

struct HelpCommand {
  std::string text;
};

struct CreateUser {
  std::string username;
  std::string email;
  std::string name;
  bool admin = false;
};
struct ListUsers {};

struct CreateTeam {
  std::string name;
  std::optional<std::string> admin;  ///< username of the first team admin
};
struct ListTeams {};
struct DeleteTeam {
  std::string name;
  bool force = false;  ///< also delete the projects of the team
};
struct AddTeamMember {
  std::string team;
  std::string username;
  std::string role = "MEMBER";  ///< ADMIN, MEMBER or VIEWER
};
struct RemoveTeamMember {
  std::string team;
  std::string username;
};
struct ListTeamMembers {
  std::string team;
};

/// When an API key expires: never, after a duration, or at a time.
using Expiry = std::variant<std::monostate, std::chrono::milliseconds, Timestamp>;

/// Parses `90d`, `12h`, `2026-12-31` or `2026-12-31T12:00:00Z`. Errors: kInvalidArgument.
Result<Expiry> parseExpiry(std::string_view text);

struct CreateKey {
  std::string username;
  std::string name;
  Expiry expires;
};
struct ListKeys {
  std::optional<std::string> username;  ///< not set: the keys of all users
};
struct RevokeKey {
  std::string id;
};

/// Prints a link that signs a user in to the console once.
struct LoginLink {
  std::optional<std::string> username;  ///< not set: the administrator
};

/// An action on the users, teams and API keys in the data folder.
using IdentityAction = std::variant<CreateUser,
                                    ListUsers,
                                    CreateTeam,
                                    ListTeams,
                                    DeleteTeam,
                                    AddTeamMember,
                                    RemoveTeamMember,
                                    ListTeamMembers,
                                    CreateKey,
                                    ListKeys,
                                    RevokeKey,
                                    LoginLink>;

struct IdentityCommand {
  IdentityAction action;
  bool json = false;

  static constexpr const char* kJsonText = "Print JSON instead of a table";  ///< text of --json
};

/// Imports a price file of the community format into the default prices.
struct ImportPrices {
  std::string file;
  std::optional<Timestamp> date;  ///< when the prices take effect; not set: today
  bool dry_run = false;
};
struct ListPrices {
  std::optional<std::string> model;  ///< not set: the prices of all models
};

struct PriceCommand {
  std::variant<ImportPrices, ListPrices> action;
  bool json = false;

  static constexpr const char* kJsonText = IdentityCommand::kJsonText;  ///< text of --json
};

struct ExportTraces {
  std::string project;  ///< entity/project
  std::string output;
  std::string format = "jsonl";  ///< jsonl or parquet
  std::optional<Timestamp> from;
  std::optional<Timestamp> to;
  std::int64_t page = 50'000;  ///< calls per file
};
struct ImportTraces {
  std::string project;  ///< entity/project
  std::string input;
  std::optional<std::string> state;
  bool keep_refs = false;
  bool skip_bad = false;
};

struct TraceCommand {
  std::variant<ExportTraces, ImportTraces> action;
  ServerFlags server;
};

/// Uploads files as a new version of a collection.
struct PutArtifact {
  std::string target;  ///< entity/project/name
  std::vector<std::string> inputs;
  std::string type = "dataset";
  std::vector<std::string> aliases;
  std::vector<std::string> tags;
  std::optional<std::string> description;
};
struct GetArtifact {
  std::string source;  ///< entity/project/name:version
  std::string output = ".";
};
/// Lists the collections of a project or registry, or the versions of a collection.
struct ListArtifacts {
  std::string place;
  bool json = false;
};
struct AliasArtifact {
  std::string version;  ///< entity/project/name:version
  std::string alias;
  bool remove = false;
};
struct LinkArtifact {
  std::string source;
  std::string target;  ///< svc-registry-name/collection
  std::vector<std::string> aliases;
};

struct ArtifactCommand {
  std::variant<PutArtifact, GetArtifact, ListArtifacts, AliasArtifact, LinkArtifact> action;
  ServerFlags server;
};

/// `spindle model import`: converts files and needs no server.
struct ModelCommand {
  std::string folder;
  std::string file;
  std::string name;  ///< empty: the name of the folder
  std::string type;  ///< f32, f16, bf16 or q8_0; empty: the type of the source
};

using Command = std::variant<ServeCommand,
                             ShowConfigCommand,
                             CheckConfigCommand,
                             PrintReferenceCommand,
                             DoctorCommand,
                             VersionCommand,
                             HelpCommand,
                             IdentityCommand,
                             PriceCommand,
                             TraceCommand,
                             ArtifactCommand,
                             AutomationCommand,
                             InferenceCommand,
                             NodeCommand,
                             TrainingCommand,
                             BackupCommand,
                             MigrateCommand,
                             ModelCommand>;

/// A parsed command and the settings flags, which are not validated yet.
struct CommandLine {
  Command command;
  std::optional<std::string> config_file;
  std::vector<config::FlagValue> flags;
};

/// Parses the arguments after the program name. Settings flags may come before or after the
/// command. Errors: kInvalidArgument; the message has one line per problem, each with a remedy.
Result<CommandLine> parseCommandLine(const std::vector<std::string>& arguments);

}  // namespace spindle::app
