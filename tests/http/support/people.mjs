// Creates users, teams and keys for tests. Every call uses new names.

import assert from "node:assert/strict";

let counter = 0;

/** Returns a name that is unique in this process and valid as username and team name. */
export function freshName(stem) {
  counter += 1;
  return `${stem}-${process.pid}-${counter}`;
}

async function created(server, path, body, options = {}) {
  const answer = await server.api("POST", path, { body, ...options });
  assert.equal(answer.status, 201, `POST ${path}: ${answer.text}`);
  return answer.json;
}

/** Creates a user with an API key. Resolves with the user and its `key`. */
export async function makeUser(server, stem = "user") {
  const username = freshName(stem);
  const user = await created(server, "/api/v1/users", { username, email: `${username}@example.test` });
  const { key } = await makeKey(server, username);
  return { ...user, key };
}

/** Creates an API key for a user as the organization admin. */
export function makeKey(server, username, body = { name: freshName("key") }) {
  return created(server, `/api/v1/api-keys?owner=${username}`, body);
}

/** Creates a team. Its first admin is `admin`, by default the bootstrap admin. */
export function makeTeam(server, { name = freshName("team"), admin } = {}) {
  const body = admin === undefined ? { name } : { name, admin_username: admin };
  return created(server, "/api/v1/teams", body);
}

export async function addMember(server, team, username, role) {
  const path = `/api/v1/teams/${team}/members/${username}`;
  const answer = await server.api("PUT", path, { body: { role } });
  assert.ok([200, 201].includes(answer.status), `PUT ${path}: ${answer.text}`);
}

/** Creates a user with an API key and a role in a team. */
export async function makeMember(server, team, role) {
  const user = await makeUser(server, role.toLowerCase());
  await addMember(server, team, user.username, role);
  return user;
}

/** Creates a service account of a team: {account, api_key}. */
export function makeServiceAccount(server, team, options) {
  return created(
    server,
    `/api/v1/teams/${team}/service-accounts`,
    { description: freshName("robot") },
    options,
  );
}

/** Reads all pages of a list and returns its items. */
export async function listAll(server, path, { key, limit = 200 } = {}) {
  const items = [];
  let cursor;
  do {
    const url = new URL(path, server.url);
    url.searchParams.set("limit", limit);
    if (cursor) url.searchParams.set("cursor", cursor);
    const answer = await server.api("GET", url.pathname + url.search, { key });
    assert.equal(answer.status, 200, answer.text);
    items.push(...answer.json.items);
    cursor = answer.json.next_cursor;
  } while (cursor);
  return items;
}
