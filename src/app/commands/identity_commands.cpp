#include <iterator>

#include "app/commands/command_groups.h"
#include "app/commands/command_output.h"
#include "app/commands/opened_folder.h"
#include "app/commands/table.h"
#include "app/web/console_link.h"

namespace spindle::app {
namespace {

using identity::ApiKey, identity::Member, identity::Page, identity::PageRequest, identity::Team,
    identity::User;

constexpr int kPageSize = 200;

Cell shown(const std::optional<Timestamp>& time) {
  return time ? Cell(formatTimestamp(*time)) : Cell(std::optional<std::string>());
}

/// Returns every item of a paged list.
template <class T, class Fetch>
Result<std::vector<T>> all(Fetch fetch) {
  std::vector<T> items;
  PageRequest request;
  request.limit = kPageSize;
  while (true) {
    Page<T> page = TRY(fetch(request));
    std::move(page.items.begin(), page.items.end(), std::back_inserter(items));
    if (!page.next) return items;
    request.after = *page.next;
  }
}

/// Executes one command on the data folder, without permission checks: the caller is the operator.
class IdentityCommandRunner {
 public:
  explicit IdentityCommandRunner(OpenedFolder& opened)
      : stack_(opened.identity),
        clock_(opened.clock),
        folder_(opened.folder),
        server_(opened.settings.server) {
    // Creates the administrator in a new folder, as the first start of a server does.
    identity::ensureAdmin(stack_.users, stack_.keys, opened.folder,
                          opened.settings.auth.admin_api_key);
  }

  Result<CommandOutput> operator()(const CreateUser& command) const {
    identity::NewUser fresh;
    fresh.username = command.username;
    if (!command.email.empty()) fresh.email = command.email;
    fresh.name = command.name;
    fresh.organization_admin = command.admin;
    const User user = TRY(stack_.users.insert(fresh));
    CommandOutput outcome = usersTable({user});
    outcome.note = "Create an API key for the user: spindle key create --user " + user.username +
                   " --name NAME";
    return outcome;
  }

  Result<CommandOutput> operator()(const ListUsers& /*command*/) const {
    const std::vector<User> users = TRY(
        all<User>([this](const PageRequest& request) { return stack_.users.list("", request); }));
    return usersTable(users);
  }

  Result<CommandOutput> operator()(const CreateTeam& command) const {
    const User admin =
        TRY(stack_.users.findByUsername(command.admin.value_or(identity::kAdminUsername)));
    const Team team = TRY(stack_.teams.insert(command.name, admin.id));
    return teamsTable({team});
  }

  Result<CommandOutput> operator()(const ListTeams& /*command*/) const {
    const std::vector<Team> teams = TRY(
        all<Team>([this](const PageRequest& request) { return stack_.teams.list({}, request); }));
    return teamsTable(teams);
  }

  Result<CommandOutput> operator()(const DeleteTeam& command) const {
    TRY(stack_.teams.remove(command.name, command.force));
    return CommandOutput{.note = "Team " + command.name + " is deleted."};
  }

  Result<CommandOutput> operator()(const AddTeamMember& command) const {
    const Team team = TRY(stack_.teams.findByName(command.team));
    const User user = TRY(stack_.users.findByUsername(command.username));
    const std::optional<identity::TeamRole> role = identity::teamRoleOf(command.role);
    if (!role) return Error::invalidArgument("A role is ADMIN, MEMBER or VIEWER.");
    const auto put = stack_.teams.putMember(team.id, user.id, *role);
    if (!put) return put.error();
    return membersTable({put->member});
  }

  Result<CommandOutput> operator()(const RemoveTeamMember& command) const {
    const Team team = TRY(stack_.teams.findByName(command.team));
    const User user = TRY(stack_.users.findByUsername(command.username));
    TRY(stack_.teams.removeMember(team.id, user.id));
    return CommandOutput{.note = user.username + " is no longer a member of " + team.name + "."};
  }

  Result<CommandOutput> operator()(const ListTeamMembers& command) const {
    const Team team = TRY(stack_.teams.findByName(command.team));
    const std::vector<Member> members = TRY(all<Member>([this, &team](const PageRequest& request) {
      return stack_.teams.members(team.id, request);
    }));
    return membersTable(members);
  }

  Result<CommandOutput> operator()(const CreateKey& command) const {
    const User owner = TRY(stack_.users.findByUsername(command.username));
    const identity::IssuedKey issued =
        TRY(stack_.keys.issue({owner.id, command.name, expiryOf(command.expires)}));
    CommandOutput outcome;
    outcome.table.headings = {"id", "key_id", "name", "owner", "expires_at", "key"};
    outcome.table.rows = {{issued.key.id, issued.key.key_id, issued.key.name, owner.username,
                           shown(issued.key.expires_at), std::string(issued.text.reveal())}};
    outcome.note = "Store the key now: it is not shown again.";
    return outcome;
  }

  Result<CommandOutput> operator()(const ListKeys& command) const {
    std::vector<User> owners = TRY(ownersOf(command));
    CommandOutput outcome;
    outcome.table.headings = {"id",         "key_id",     "name",        "owner",
                              "created_at", "expires_at", "last_used_at"};
    for (const User& owner : owners) {
      const std::vector<ApiKey> keys = TRY(all<ApiKey>([this, &owner](const PageRequest& request) {
        return stack_.keys.list(owner.id, request);
      }));
      for (const ApiKey& key : keys) {
        outcome.table.rows.push_back({key.id, key.key_id, key.name, owner.username,
                                      formatTimestamp(key.created_at), shown(key.expires_at),
                                      shown(key.last_used_at)});
      }
    }
    return outcome;
  }

  Result<CommandOutput> operator()(const RevokeKey& command) const {
    TRY(stack_.keys.remove(command.id));
    return CommandOutput{.note = "Key " + command.id +
                                 " is revoked. A running server rejects it immediately."};
  }

  Result<CommandOutput> operator()(const LoginLink& command) const {
    const User user =
        TRY(stack_.users.findByUsername(command.username.value_or(identity::kAdminUsername)));
    const std::optional<storage::FolderHolder> holder = storage::DataFolderLock::holder(folder_);
    const bool running = holder && !holder->url.empty();
    const std::string url = running ? holder->url : listenUrl(server_);
    const Secret code = TRY(stack_.credentials.issueCode(user.id));
    CommandOutput outcome;
    outcome.table.headings = {"username", "expires_at", "link"};
    outcome.table.rows = {
        {user.username,
         formatTimestamp(clock_.now() + identity::CredentialRepository::kCodeLifetime),
         signInLink(server_, url, code)}};
    outcome.note = running ? "The link signs in once."
                           : "The link signs in once. No server is running on this data folder.";
    return outcome;
  }

 private:
  static Cell nameOf(const User& user) {
    return user.name.empty() ? Cell(std::optional<std::string>()) : Cell(user.name);
  }

  static CommandOutput usersTable(const std::vector<User>& users) {
    CommandOutput outcome;
    outcome.table.headings = {"id", "username", "email", "name", "kind", "organization_admin"};
    for (const User& user : users) {
      outcome.table.rows.push_back({user.id, user.username, user.email, nameOf(user),
                                    std::string(identity::textOf(user.kind)),
                                    Cell::boolean(user.organization_admin)});
    }
    return outcome;
  }

  static CommandOutput teamsTable(const std::vector<Team>& teams) {
    CommandOutput outcome;
    outcome.table.headings = {"id", "name", "created_at"};
    for (const Team& team : teams) {
      outcome.table.rows.push_back({team.id, team.name, formatTimestamp(team.created_at)});
    }
    return outcome;
  }

  static CommandOutput membersTable(const std::vector<Member>& members) {
    CommandOutput outcome;
    outcome.table.headings = {"username", "role", "kind"};
    for (const Member& member : members) {
      outcome.table.rows.push_back({member.user.username,
                                    std::string(identity::textOf(member.membership.role)),
                                    std::string(identity::textOf(member.user.kind))});
    }
    return outcome;
  }

  std::optional<Timestamp> expiryOf(const Expiry& expiry) const {
    if (const auto* moment = std::get_if<Timestamp>(&expiry)) return *moment;
    if (const auto* after = std::get_if<std::chrono::milliseconds>(&expiry)) {
      return clock_.now() + *after;
    }
    return std::nullopt;
  }

  Result<std::vector<User>> ownersOf(const ListKeys& command) const {
    if (!command.username) {
      return all<User>(
          [this](const PageRequest& request) { return stack_.users.list("", request); });
    }
    User owner = TRY(stack_.users.findByUsername(*command.username));
    return std::vector<User>{std::move(owner)};
  }

  IdentityStack& stack_;
  const Clock& clock_;
  const storage::DataFolder& folder_;
  const config::ServerSettings& server_;
};

}  // namespace

int runGroup(const config::Loaded& loaded, const IdentityCommand& command) {
  return runOnFolder<IdentityCommandRunner>(loaded, command);
}

}  // namespace spindle::app
