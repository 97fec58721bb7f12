// People: the caller, users, teams, projects, keys, sessions, invitations, preferences, audit.

import { change, get, read } from "./client";
import type { PageQuery } from "./paging";
import type {
  ApiKeyPage, CompletionTracing, IssuedApiKey, Me, Member, MemberPage, MemberRole, NewApiKey, NewProject,
  NewSecret, NewServiceAccount, NewServiceAccountReply, NewTeam, NewUser, Project, ProjectChange, ProjectMember,
  ProjectMemberPage, ProjectPage, ProjectRole, ProjectStats, ProjectStatsRequest, RetentionRead, RetentionSettings,
  RetentionUpdate, Secret, SecretPage, SecretValue, Team, TeamChange, TeamPage, User, UserPage, Version,
} from "./schema";
import { path, segments } from "./urls";

export type {
  ApiKey, ApiKeyPage, CompletionTracing, IssuedApiKey, Me, Member, MemberPage, MemberRole, MembershipOfUser,
  NewApiKey, NewProject, NewSecret, NewServiceAccount, NewServiceAccountReply, NewTeam, NewUser, Project,
  ProjectChange, ProjectMember, ProjectMemberPage, ProjectPage, ProjectRole, ProjectStats, ProjectStatsRequest,
  RetentionRead, RetentionSettings, RetentionUpdate, Secret, SecretPage, SecretValue, ServiceAccount, Team,
  TeamChange, TeamPage, User, UserPage, Version,
} from "./schema";

/** Role in a team, a project or a registry. */
export type Role = "ADMIN" | "MEMBER" | "VIEWER";

/** Show the caller. */
export function getMe(signal?: AbortSignal): Promise<Me> {
  return get<Me>("api/v1/me", {}, signal);
}

/** List users. */
export function listUsers(query: PageQuery & { query?: string } = {}, signal?: AbortSignal): Promise<UserPage> {
  return get<UserPage>("api/v1/users", query, signal);
}

/** Add a person. */
export function createUser(body: NewUser): Promise<User> {
  return change<User>("POST", "api/v1/users", body);
}

/** List teams. */
export function listTeams(query: PageQuery = {}, signal?: AbortSignal): Promise<TeamPage> {
  return get<TeamPage>("api/v1/teams", query, signal);
}

/** Add a team. */
export function createTeam(body: NewTeam): Promise<Team> {
  return change<Team>("POST", "api/v1/teams", body);
}

/** Show a team. */
export function getTeam(team: string, signal?: AbortSignal): Promise<Team> {
  return get<Team>(path`api/v1/teams/${team}`, {}, signal);
}

/** Change the settings of a team. */
export function changeTeam(team: string, body: TeamChange): Promise<Team> {
  return change<Team>("PATCH", path`api/v1/teams/${team}`, body);
}

/** Remove a team. */
export function deleteTeam(team: string, query: { force?: boolean } = {}): Promise<void> {
  return change<void>("DELETE", path`api/v1/teams/${team}`, undefined, query);
}

/** List the members of a team. */
export function listMembers(team: string, query: PageQuery = {}, signal?: AbortSignal): Promise<MemberPage> {
  return get<MemberPage>(path`api/v1/teams/${team}/members`, query, signal);
}

/** Add a member or change its role. */
export function setMember(team: string, username: string, body: MemberRole): Promise<Member> {
  return change<Member>("PUT", path`api/v1/teams/${team}/members/${username}`, body);
}

/** Remove a member from a team. */
export function removeMember(team: string, username: string): Promise<void> {
  return change<void>("DELETE", path`api/v1/teams/${team}/members/${username}`);
}

/** List the secrets of a team. */
export function listSecrets(team: string, query: PageQuery = {}, signal?: AbortSignal): Promise<SecretPage> {
  return get<SecretPage>(path`api/v1/teams/${team}/secrets`, query, signal);
}

/** Create a secret. */
export function createSecret(team: string, body: NewSecret): Promise<Secret> {
  return change<Secret>("POST", path`api/v1/teams/${team}/secrets`, body);
}

/** Rotate a secret. */
export function rotateSecret(team: string, name: string, body: SecretValue): Promise<Secret> {
  return change<Secret>("PUT", path`api/v1/teams/${team}/secrets/${name}`, body);
}

/** Delete a secret. */
export function deleteSecret(team: string, name: string, query: { force?: boolean } = {}): Promise<void> {
  return change<void>("DELETE", path`api/v1/teams/${team}/secrets/${name}`, undefined, query);
}

/** Add a service account with its first key. */
export function createServiceAccount(team: string, body: NewServiceAccount): Promise<NewServiceAccountReply> {
  return change<NewServiceAccountReply>("POST", path`api/v1/teams/${team}/service-accounts`, body);
}

/** List projects. */
export function listProjects(query: PageQuery & { team?: string } = {}, signal?: AbortSignal): Promise<ProjectPage> {
  return get<ProjectPage>("api/v1/projects", query, signal);
}

/** Add a project. */
export function createProject(body: NewProject): Promise<Project> {
  return change<Project>("POST", "api/v1/projects", body);
}

/** Show a project. */
export function getProject(project: string, signal?: AbortSignal): Promise<Project> {
  return get<Project>(path`api/v1/projects/${segments(project)}`, {}, signal);
}

/** Change the visibility or description of a project. */
export function changeProject(project: string, body: ProjectChange): Promise<Project> {
  return change<Project>("PATCH", path`api/v1/projects/${segments(project)}`, body);
}

/** Delete a project with all its data. */
export function deleteProject(project: string): Promise<void> {
  return change<void>("DELETE", path`api/v1/projects/${segments(project)}`);
}

/** List the members of a project and their roles. */
export function listProjectMembers(
  project: string,
  query: PageQuery = {},
  signal?: AbortSignal,
): Promise<ProjectMemberPage> {
  return get<ProjectMemberPage>(path`api/v1/projects/${segments(project)}/members`, query, signal);
}

/** Give a member of the team a role in a project. */
export function setProjectMember(project: string, username: string, body: ProjectRole): Promise<ProjectMember> {
  return change<ProjectMember>("PUT", path`api/v1/projects/${segments(project)}/members/${username}`, body);
}

/** Remove the project role of a member. */
export function removeProjectMember(project: string, username: string): Promise<void> {
  return change<void>("DELETE", path`api/v1/projects/${segments(project)}/members/${username}`);
}

/** Show whether the completions of a project are recorded as calls. */
export function getCompletionTracing(project: string, signal?: AbortSignal): Promise<CompletionTracing> {
  return get<CompletionTracing>(path`api/v1/projects/${segments(project)}/completion-tracing`, {}, signal);
}

/** Set whether the completions of a project are recorded as calls. */
export function setCompletionTracing(project: string, body: CompletionTracing): Promise<CompletionTracing> {
  return change<CompletionTracing>("PUT", path`api/v1/projects/${segments(project)}/completion-tracing`, body);
}

/** List API keys. */
export function listApiKeys(query: PageQuery & { owner?: string } = {}, signal?: AbortSignal): Promise<ApiKeyPage> {
  return get<ApiKeyPage>("api/v1/api-keys", query, signal);
}

/** Create an API key. */
export function createApiKey(body: NewApiKey, query: { owner?: string } = {}): Promise<IssuedApiKey> {
  return change<IssuedApiKey>("POST", "api/v1/api-keys", body, query);
}

/** Revoke an API key. */
export function revokeApiKey(id: string): Promise<void> {
  return change<void>("DELETE", path`api/v1/api-keys/${id}`);
}

/** Get the retention of calls in a project. */
export function readRetention(body: RetentionRead, signal?: AbortSignal): Promise<RetentionSettings> {
  return read<RetentionSettings>("project/ttl_settings/read", body, signal);
}

/** Set the retention of calls in a project. */
export function setRetention(body: RetentionUpdate): Promise<RetentionSettings> {
  return change<RetentionSettings>("POST", "project/ttl_settings/update", body);
}

/** Get the storage sizes of a project. */
export function readProjectSizes(body: ProjectStatsRequest, signal?: AbortSignal): Promise<ProjectStats> {
  return read<ProjectStats>("project/stats", body, signal);
}

/** Show the version. */
export function getVersion(signal?: AbortSignal): Promise<Version> {
  return get<Version>("version", {}, signal);
}
