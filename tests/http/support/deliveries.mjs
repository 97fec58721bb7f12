// Creates secrets, webhooks and automations, and waits for their deliveries.

import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";

import { freshName } from "./people.mjs";
import { waitLimit } from "./time_limits.mjs";

const MAX_POLLS = waitLimit(30_000) / 10; // ten milliseconds apart

async function made(server, path, body, options) {
  const answer = await server.api("POST", path, { body, ...options });
  assert.equal(answer.status, 201, `POST ${path}: ${answer.text}`);
  return answer.json;
}

export function makeSecret(server, team, name, value) {
  return made(server, `/api/v1/teams/${team}/secrets`, { name, value });
}

export function makeWebhook(server, team, more = {}) {
  return made(server, `/api/v1/teams/${team}/webhooks`, { name: freshName("hook"), ...more });
}

/** Creates an automation of the project `lab` that calls a webhook. */
export function makeAutomation(server, team, event, webhook, more = {}) {
  const { payload, preset, ...fields } = more;
  const action = webhook
    ? { type: "webhook", webhook_id: webhook.id, payload, preset }
    : { type: "noop" };
  return made(server, "/api/v1/automations", {
    name: freshName("automation"),
    scope: { type: "project", team, project: "lab" },
    event,
    action,
    ...fields,
  });
}

/** Returns the deliveries that match a query, oldest first. */
export async function deliveriesOf(server, query) {
  const answer = await server.api("GET", `/api/v1/deliveries?limit=200&${new URLSearchParams(query)}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.json.items.reverse();
}

/** Polls `look` until `holds` accepts its result, and resolves with the result. */
export async function eventually(look, holds, what = "the condition never held") {
  for (let i = 0; ; i += 1) {
    const found = await look();
    if (holds(found)) return found;
    assert.ok(i < MAX_POLLS, `${what}: ${JSON.stringify(found)}`);
    await pause(10);
  }
}

const FINAL = ["succeeded", "failed", "cancelled", "skipped"];

/** Waits until `count` deliveries exist and all are in a final state. */
export function settled(server, query, count) {
  return eventually(
    () => deliveriesOf(server, query),
    (all) => all.length >= count && all.every(({ status }) => FINAL.includes(status)),
    `not ${count} deliveries that are over`,
  );
}

export async function deliveryOf(server, id) {
  const answer = await server.api("GET", `/api/v1/deliveries/${id}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.json;
}
