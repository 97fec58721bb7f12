// Inference, usage, teams, settings and administration in a real browser.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";

import { chat, setDeploymentPrice, usageOf } from "../http/support/gateway.mjs";
import { makeMember, makeTeam, makeUser } from "../http/support/people.mjs";
import { startModelServer } from "./support/model_server.mjs";
import { openPage, startConsole } from "./support/console_page.mjs";

let started;
let server;
let team;
let project;
let upstream;
let opened;
let page;

before(async () => {
  started = await startConsole();
  ({ server } = started);
  ({ name: team } = await makeTeam(server));
  project = `${team}/support`;
  const made = await server.api("POST", "/api/v1/projects", { body: { team, name: "support" } });
  assert.equal(made.status, 201, made.text);
  upstream = await startModelServer(["big-model", "small-model"]);
});
after(async () => {
  await upstream?.close();
  await started?.close();
});

beforeEach(async () => {
  opened = await openPage(started);
  ({ page } = opened);
});
afterEach(() => opened.close());

const button = (name) => page.getByRole("button", { name, exact: true });
const dialog = () => page.getByRole("dialog");
/** A field of the open dialog; labels of required ones end with a star. */
const field = (name) => dialog().getByLabel(new RegExp(`^${name}( \\*)?$`));
const ask = (model) => chat(server, model, { max_tokens: 10 }, { headers: { "Compat-Project": project } });

describe("inference", () => {
  test("a person adds an upstream, tests it, serves a model, and sees a budget hold", async () => {
    await opened.go("inference?tab=upstreams");
    await button("New upstream").click();
    await field("Name").fill("vllm-1");
    await field("Address").fill(upstream.url);
    await field("API key").fill("sk-upstream-secret");
    await button("Add the upstream").click();
    await page.getByRole("row", { name: /vllm-1/ }).getByText("stored").waitFor();
    await button("Test vllm-1").click();
    await page.getByText(/2 models in/).waitFor();

    await opened.go("inference?new=1");
    await field("Name").fill("helper");
    await field("Upstream").selectOption("vllm-1");
    await field("Model there").fill("big-model");
    await button("Add the model").click();
    await page.getByRole("row", { name: /helper/ }).getByText(/big-model/).waitFor();
    await setDeploymentPrice(server, "helper", { prompt: 0.0001, completion: 0.0001 });

    await opened.go("inference?tab=limits&new=1");
    await dialog().getByRole("combobox", { name: "Project" }).fill(project);
    await page.getByRole("option", { name: project }).click();
    await field("Budget").fill("0.5");
    await button("Set the limit").click();
    await page.getByRole("row", { name: new RegExp(project) }).getByText(/of \$0\.5/).waitFor();

    let answer;
    let answered = 0;
    for (; answered < 20; answered += 1) {
      answer = await ask("helper");
      if (answer.status !== 200) break;
    }
    assert.equal(answer.status, 402, answer.text);
    assert.ok(answered > 0, "the budget refused the first request");
    await page.reload();
    const share = page.getByRole("row", { name: new RegExp(project) }).getByRole("img", { name: /of the budget is used/ });
    await share.waitFor();
    assert.doesNotMatch(await share.getAttribute("aria-label"), /^0\s?%/);

    await usageOf(server, "helper", answered);
    await opened.go("usage");
    await page.getByRole("table", { name: "Usage by model" }).getByText("helper").waitFor();
    await page.getByRole("link", { name: "helper" }).click();
    await page.getByRole("table", { name: "Usage by project" }).getByText(project).waitFor();
    assert.equal(new URL(page.url()).searchParams.get("model"), "helper");
    await button("Remove the filter Model").click();
    await page.getByRole("radio", { name: "Tokens" }).check({ force: true });
    await page.waitForURL(/measure=/);
    assert.equal(new URL(page.url()).searchParams.get("measure"), "tokens");
  });
});

describe("a team", () => {
  test("invites by a link that is shown once, changes roles, replaces secrets", async () => {
    const bob = await makeMember(server, team, "VIEWER");
    await opened.go(`t/${team}`);
    await page.getByLabel(`Role of ${bob.username}`).selectOption("MEMBER");
    await page.getByText(`${bob.username} is now member.`).waitFor();

    await button("Invite by link").click();
    await field("For").fill("grace@example.test");
    await button("Make the link").click();
    await page.getByRole("heading", { name: "The invitation" }).waitFor();
    const link = await dialog().locator("code").textContent();
    assert.match(link, /#/);
    await button("I have copied it").click();
    await page.getByRole("table", { name: "Open invitations" }).getByText("grace@example.test").waitFor();
    assert.equal(await page.getByText(link).count(), 0);

    await opened.go(`t/${team}?tab=secrets&new=1`);
    await field("Name").fill("TOKEN");
    await field("Value").fill("first");
    await button("Store the secret").click();
    await button("Replace the value of TOKEN").click();
    await field("Value").fill("second");
    await button("Replace the value").click();
    await page.getByRole("row", { name: /TOKEN/ }).getByText("2", { exact: true }).waitFor();
  });
});

describe("settings of a project", () => {
  test("completion tracing, retention and prices are stored", async () => {
    await opened.go(`p/${project}/settings`);
    await page.getByRole("switch", { name: "Record completions of this project" }).click();
    await page.getByText("Completions are recorded from now on.").waitFor();
    await page.getByLabel("Calls are kept for").fill("30");
    await page.locator(".retention").getByRole("button", { name: "Save" }).click();
    await dialog().getByRole("button", { name: "Shorten" }).click();
    await page.getByText("Calls are kept for 30 days.").waitFor();

    await opened.go(`p/${project}/settings?tab=prices&new=1`);
    await field("Model").fill("helper");
    await field("Prompt").fill("2.5");
    await field("Completion").fill("10");
    await button("Add the price").click();
    await page.getByRole("row", { name: /helper/ }).getByText("$2.5").waitFor();
    const { json } = await server.api("POST", "/cost/query", { body: { project_id: project } });
    assert.equal(json.results[0].prompt_token_cost, 2.5e-6);
  });
});

describe("administration", () => {
  test("people are suspended, and the audit log says who did it and is exported", async () => {
    const user = await makeUser(server, "eve");
    await opened.go(`admin?find=${user.username}`);
    await button(`Actions on ${user.username}`).click();
    await page.getByRole("menuitem", { name: "Suspend…" }).click();
    await dialog().getByRole("button", { name: "Suspend" }).click();
    await page.getByRole("row", { name: new RegExp(user.username) }).getByText("suspended").waitFor();
    assert.equal((await server.api("GET", "/api/v1/me", { key: user.key })).status, 401);

    await opened.go("admin?tab=audit&action=user.suspend");
    await page.getByRole("row", { name: new RegExp(user.username) }).waitFor();
    await button("Export").click();
    const download = page.waitForEvent("download");
    await page.getByRole("menuitem", { name: "JSON Lines" }).click();
    assert.match((await download).suggestedFilename(), /^spindle-audit-.*\.jsonl$/);
  });

  test("is hidden from others", async () => {
    const member = await makeMember(server, team, "ADMIN");
    const theirs = await openPage(started, { key: member.key });
    await theirs.go("admin");
    await theirs.page.getByText(/is not there/).waitFor();
    await theirs.go("inference");
    await theirs.page.getByRole("tab", { name: "Models" }).waitFor();
    assert.equal(await theirs.page.getByRole("tab", { name: "Upstreams" }).count(), 0);
    await theirs.close();
  });
});
