#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/grammars.h"
#include "app/cli/options.h"

namespace spindle::app {
namespace {

/// Converts `member` to `MEMBER`, the stored form of a role. @return the problem, or nothing.
std::string toRole(std::string& text) {
  std::string role = text;
  for (char& c : role) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  if (role != "ADMIN" && role != "MEMBER" && role != "VIEWER") {
    return fmt::format("expected admin, member or viewer, but found \"{}\"", text);
  }
  text = role;
  return {};
}

void addUsers(CommandBuilder& builder) {
  CLI::App* group = builder.group("user", "Manage users.");
  const auto [create, user] =
      builder.add<IdentityCommand>(group, {"create", "Create a user."}, CreateUser(),
                                   {{"USERNAME", &CreateUser::username, "Username"}});
  addOption(create, "--email", user.email, "EMAIL", "E-mail address")->required();
  addOption(create, "--name", user.name, "NAME", "Full name");
  create->add_flag("--admin", user.admin, "Make the user an organization admin");
  builder.add<IdentityCommand>(group, {"list", "List all users."}, ListUsers());
}

void addTeams(CommandBuilder& builder) {
  CLI::App* group = builder.group("team", "Manage teams and their members.");
  const auto [create, team] =
      builder.add<IdentityCommand>(group, {"create", "Create a team."}, CreateTeam(),
                                   {{"NAME", &CreateTeam::name, "Name of the team"}});
  addOption(create, "--admin", team.admin, "USER", "Username of the first team admin");
  builder.add<IdentityCommand>(group, {"list", "List all teams."}, ListTeams());
  const auto [remove, deleted] =
      builder.add<IdentityCommand>(group, {"delete", "Delete a team."}, DeleteTeam(),
                                   {{"NAME", &DeleteTeam::name, "Name of the team"}});
  remove->add_flag("--force", deleted.force, "Delete the team's projects too");

  const auto [add, member] = builder.add<IdentityCommand>(
      group, {"add-member", "Add a user to a team, or change the user's role."}, AddTeamMember(),
      {{"TEAM", &AddTeamMember::team, "Name of the team"},
       {"USER", &AddTeamMember::username, "Username"}});
  addOption(add, "--role", member.role, "ROLE", "admin, member or viewer")
      ->transform(CLI::Validator(toRole, "", "role"))
      ->default_str("member");
  builder.add<IdentityCommand>(group, {"remove-member", "Remove a user from a team."},
                               RemoveTeamMember(),
                               {{"TEAM", &RemoveTeamMember::team, "Name of the team"},
                                {"USER", &RemoveTeamMember::username, "Username"}});
  builder.add<IdentityCommand>(group, {"members", "List the members of a team."}, ListTeamMembers(),
                               {{"TEAM", &ListTeamMembers::team, "Name of the team"}});
}

/// The options of `spindle key create`, before `expires` is parsed.
struct KeyOptions {
  CreateKey key;
  std::optional<std::string> expires;
};

void addKeys(CommandBuilder& builder) {
  CLI::App* group = builder.group("key", "Manage API keys.");
  const auto [create, options] = builder.add(
      group, {"create", "Create an API key and print it once."}, KeyOptions(),
      builder.commandFrom<IdentityCommand>([](const KeyOptions& given) -> Result<CreateKey> {
        CreateKey key = given.key;
        if (given.expires) {
          const Expiry expires = TRY(parseExpiry(*given.expires));
          key.expires = expires;
        }
        return key;
      }));
  addOption(create, "--user", options.key.username, "USER", "Username of the owner")->required();
  addOption(create, "--name", options.key.name, "NAME", "Name of the key, such as its purpose")
      ->required();
  addOption(create, "--expires", options.expires, "WHEN",
            "When the key expires: 90d, 12h or a date");
  builder.addJsonFlag(create, IdentityCommand::kJsonText);
  const auto [list, owner] = builder.add<IdentityCommand>(
      group, {"list", "List API keys, without their secrets."}, ListKeys());
  addOption(list, "--user", owner.username, "USER", "Only the keys of this user");
  builder.add<IdentityCommand>(
      group, {"revoke", "Revoke an API key immediately."}, RevokeKey(),
      {{"ID", &RevokeKey::id, "Id of the key, as `spindle key list` prints it"}});
}

void addLoginLink(CommandBuilder& builder) {
  const auto [link, options] = builder.add<IdentityCommand>(
      nullptr, {"login-link", "Print a link that signs a user in to the console once."},
      LoginLink());
  addOption(link, "--user", options.username, "USER", "Username; the administrator if omitted");
}

}  // namespace

void addIdentityCommands(CommandBuilder& builder) {
  addUsers(builder);
  addTeams(builder);
  addKeys(builder);
  addLoginLink(builder);
}

}  // namespace spindle::app
