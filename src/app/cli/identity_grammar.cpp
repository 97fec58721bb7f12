#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/grammars.h"

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
      builder.add<IdentityCommand>(group, "create", "Create a user.", CreateUser());
  addPositional(create, "USERNAME", user.username, "Username");
  create->add_option("--email", user.email, "E-mail address")->required()->type_name("EMAIL");
  create->add_option("--name", user.name, "Full name")->type_name("NAME");
  create->add_flag("--admin", user.admin, "Make the user an organization admin");
  builder.add<IdentityCommand>(group, "list", "List all users.", ListUsers());
}

void addTeams(CommandBuilder& builder) {
  CLI::App* group = builder.group("team", "Manage teams and their members.");
  const auto [create, team] =
      builder.add<IdentityCommand>(group, "create", "Create a team.", CreateTeam());
  addPositional(create, "NAME", team.name, "Name of the team");
  create->add_option("--admin", team.admin, "Username of the first team admin")->type_name("USER");
  builder.add<IdentityCommand>(group, "list", "List all teams.", ListTeams());
  const auto [remove, deleted] =
      builder.add<IdentityCommand>(group, "delete", "Delete a team.", DeleteTeam());
  addPositional(remove, "NAME", deleted.name, "Name of the team");
  remove->add_flag("--force", deleted.force, "Delete the team's projects too");

  const auto [add, member] = builder.add<IdentityCommand>(
      group, "add-member", "Add a user to a team, or change the user's role.", AddTeamMember());
  addPositional(add, "TEAM", member.team, "Name of the team");
  addPositional(add, "USER", member.username, "Username");
  add->add_option("--role", member.role, "admin, member or viewer")
      ->transform(CLI::Validator(toRole, "", "role"))
      ->type_name("ROLE")
      ->default_str("member");
  const auto [drop, former] = builder.add<IdentityCommand>(
      group, "remove-member", "Remove a user from a team.", RemoveTeamMember());
  addPositional(drop, "TEAM", former.team, "Name of the team");
  addPositional(drop, "USER", former.username, "Username");
  const auto [list, members] = builder.add<IdentityCommand>(
      group, "members", "List the members of a team.", ListTeamMembers());
  addPositional(list, "TEAM", members.team, "Name of the team");
}

/// The options of `spindle key create`, before `expires` is parsed.
struct KeyOptions {
  CreateKey key;
  std::optional<std::string> expires;
};

void addKeys(CommandBuilder& builder) {
  CLI::App* group = builder.group("key", "Manage API keys.");
  const auto [create, options] =
      builder.add(group, "create", "Create an API key and print it once.", KeyOptions(),
                  [&builder](KeyOptions& given) -> Result<Command> {
                    if (given.expires) {
                      Expiry expires = TRY(parseExpiry(*given.expires));
                      given.key.expires = expires;
                    }
                    return Command(IdentityCommand{given.key, builder.json()});
                  });
  create->add_option("--user", options.key.username, "Username of the owner")
      ->required()
      ->type_name("USER");
  create->add_option("--name", options.key.name, "Name of the key, such as its purpose")
      ->required()
      ->type_name("NAME");
  create->add_option("--expires", options.expires, "When the key expires: 90d, 12h or a date")
      ->type_name("WHEN");
  builder.addJsonFlag(create, IdentityCommand::kJsonText);
  const auto [list, owner] = builder.add<IdentityCommand>(
      group, "list", "List API keys, without their secrets.", ListKeys());
  list->add_option("--user", owner.username, "Only the keys of this user")->type_name("USER");
  const auto [revoke, revoked] =
      builder.add<IdentityCommand>(group, "revoke", "Revoke an API key immediately.", RevokeKey());
  addPositional(revoke, "ID", revoked.id, "Id of the key, as `spindle key list` prints it");
}

}  // namespace

void addIdentityCommands(CommandBuilder& builder) {
  addUsers(builder);
  addTeams(builder);
  addKeys(builder);
}

}  // namespace spindle::app
