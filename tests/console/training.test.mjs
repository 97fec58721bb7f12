// From traces to a checkpoint in production, and the screens of runs, artifacts and registries, in a real browser.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";

import { Project, at } from "../http/support/calls.mjs";
import { makeMember, makeTeam } from "../http/support/people.mjs";
import { OWN_TRAINER_ENV, examples } from "../http/support/real_trainer.mjs";
import { openPage, startConsole } from "./support/console_page.mjs";

const TRAINED_MS = 240_000;
const HOSTILE = '<img src=x onerror="alert(1)">\u202egnp';

let started;
let server;
let team;
let project;
let member;
let viewer;
let opened;
let page;

before(async () => {
  started = await startConsole({ env: OWN_TRAINER_ENV });
  ({ server } = started);
  ({ name: team } = await makeTeam(server));
  member = (await makeMember(server, team, "MEMBER")).key;
  viewer = (await makeMember(server, team, "VIEWER")).key;
  project = new Project(server, `${team}/support`);
  for (const [i, { messages: [question, answer] }] of examples(12).entries()) {
    const call = await project.start({ inputs: { messages: [question] }, started_at: at(i) });
    await project.end(call.id, { output: answer, ended_at: at(i + 0.5) });
    await project.ok("/feedback/create", {
      project_id: project.id, svc_ref: `svc:///${project.id}/call/${call.id}`, feedback_type: "quality", payload: { value: i % 3 ? 1 : 0 },
    });
  }
});
after(() => started?.close());

beforeEach(async () => {
  opened = await openPage(started, { key: member });
  ({ page } = opened);
});
afterEach(() => opened.close());

const inProject = (path) => `p/${project.id}/${path}`;
const button = (name) => page.getByRole("button", { name, exact: true });
const link = (name) => page.getByRole("link", { name, exact: true });
const dialog = () => page.getByRole("dialog");
const heading = (name) => page.getByRole("heading", { level: 1, name });

describe("training", () => {
  test("the wizard leads from traces to a checkpoint in production", async () => {
    await opened.go(inProject("training"));
    await page.getByText("Nothing was trained yet").waitFor();
    await button("Train a model").first().click();
    await page.getByText("12 calls match").waitFor();
    await button("Next: reward").click();
    await page.getByRole("radio", { name: /From feedback/ }).check();
    await page.getByRole("combobox", { name: /^Feedback/ }).fill("quality");
    await page.getByRole("option", { name: /quality/ }).click();
    await page.getByRole("combobox", { name: /^Path of the number/ }).fill("value");
    await page.keyboard.press("Tab");
    await page.getByLabel("Smallest reward").fill("1");
    await button("Next: preview").click();
    await page.getByText("4 below the smallest reward", { exact: false }).waitFor();
    assert.match(page.url(), /wizard=/, "a link continues here");
    await page.reload();
    await page.getByText("Only 8 examples", { exact: false }).waitFor();
    await button("Next: start").click();
    await page.getByLabel("Name", { exact: false }).first().fill("helper");
    await page.getByLabel("Learning rate").fill("0.001");
    await button("Start training").click();

    await heading("helper").waitFor();
    await page.getByText("completed").first().waitFor({ timeout: TRAINED_MS });
    await page.getByRole("figure", { name: "loss" }).waitFor();
    await page.getByText("training ended").waitFor();
    await page.getByText(/settings differ from the defaults/).waitFor();

    await button("Ask").click();
    await dialog().getByLabel("Your message").fill("Reverse the list: ant bee");
    await dialog().getByRole("button", { name: "Ask", exact: true }).click();
    await dialog().getByText(/Checkpoint · .* token/).waitFor();
    await dialog().getByRole("button", { name: "Close" }).click();

    await button("→ production").click();
    await button("Give production").click();
    await page.getByText("Step 1 of helper is in production.").waitFor();
    const { json } = await server.api("GET", `/api/v1/projects/${project.id}/collections/helper/versions/production`);
    assert.ok(json.aliases.includes("step1"));
  });

  test("the ladder shows the checkpoints and deletes one by name", async () => {
    await opened.go(inProject("models"));
    await link("helper").click();
    await page.getByText("step 1 is in production", { exact: false }).waitFor();
    await page.getByRole("row", { name: /step 0.*base model/ }).waitFor();
    await button("Further actions for step 1").click();
    await page.getByRole("menuitem", { name: "Delete…" }).click();
    await dialog().getByText("One of them is in production.", { exact: false }).waitFor();
    await dialog().getByRole("button", { name: "Cancel" }).click();
  });

  test("a job that failed says what to do, and starts again with changes", async () => {
    const { json: { items: [job] } } = await server.api("GET", `/api/v1/training-jobs?project=${project.id}`);
    const { json: again } = await server.api("POST", `/api/v1/training-jobs/${job.id}/retry`, { body: { config: { learning_rate: [1e-3, 1e-3, 1e-3] } } });
    await opened.go(inProject(`training/${again.id}`));
    await page.getByText("The job failed").waitFor({ timeout: TRAINED_MS });
    await page.getByText("Give one learning rate per batch").waitFor();
    await button("Again with another learning rate…").click();
    await dialog().getByLabel("Learning rate").fill("0.0001");
    await dialog().getByText("Changed: learning_rate").waitFor();
    await button("Start training").click();
    await page.waitForURL((url) => !url.pathname.endsWith(again.id));
    await page.getByText("completed").first().waitFor({ timeout: TRAINED_MS });
  });

  test("a viewer sees jobs and no actions", async () => {
    const other = await openPage(started, { key: viewer });
    await other.go(inProject("training"));
    await other.page.getByRole("row", { name: /helper/ }).first().waitFor();
    assert.equal(await other.page.getByRole("button", { name: "Train a model" }).count(), 0);
    await other.close();
  });
});

describe("runs", () => {
  before(async () => {
    for (const [run, lr] of [["first", 0.1], ["second", 0.2]]) {
      const base = `/api/v1/projects/${project.id}/runs`;
      await server.api("POST", base, { body: { run_id: run, name: run === "first" ? HOSTILE : run, config: { lr, seed: 1 }, tags: ["baseline"] } });
      await server.api("POST", `${base}/${run}/history`, { body: { rows: [{ metrics: { loss: 1 } }, { metrics: { loss: lr } }] } });
      await server.api("POST", `${base}/${run}/finish`, { body: { exit_code: 0 } });
    }
  });

  test("two are compared, with the choice in the address", async () => {
    await opened.go(inProject("runs?tag=baseline"));
    await page.getByRole("checkbox", { name: "Select second" }).check();
    await page.getByRole("checkbox", { name: /Select .*onerror/ }).check();
    await link("Compare 2").click();
    await page.getByRole("figure", { name: "loss" }).waitFor();
    await page.getByRole("tab", { name: "Configuration" }).click();
    await page.getByRole("row", { name: /lr/ }).waitFor();
    assert.equal(await page.getByRole("row", { name: /seed/ }).count(), 0, "equal settings are not listed");
    assert.match(page.url(), /compare=.*tab=config/);
  });

  test("one is pinned and tagged", async () => {
    await opened.go(inProject("runs/second"));
    await button("Pin").click();
    await button("Pinned").waitFor();
    await opened.go(inProject("runs/nothing"));
    await page.getByText(/not (there|found)|does not exist/i).first().waitFor();
  });
});

describe("artifacts and registries", () => {
  test("a version is read, tagged, linked into a registry and found there", async () => {
    await opened.go(inProject("artifacts"));
    await link("good-answers").click();
    await link("v0").click();
    await button("View trajectories.jsonl").click();
    await dialog().getByText("messages", { exact: false }).first().waitFor();
    await dialog().getByRole("button", { name: "Close", exact: true }).last().click();
    await page.getByRole("tab", { name: "Used by" }).click();
    await page.getByRole("row", { name: /helper.*job/ }).first().waitFor();

    await opened.go("registries?new=1");
    await dialog().getByLabel("Name").fill(`shared-${team}`);
    await button("Create the registry").click();
    await heading(`shared-${team}`).waitFor();
    await opened.go(inProject("artifacts/good-answers/v0"));
    await button("Link…").click();
    await dialog().getByLabel("Registry").selectOption(`shared-${team}`);
    await button("Link").click();
    await page.getByText(/Linked as v0/).waitFor();
    await opened.go(`registries/shared-${team}/good-answers`);
    await page.getByRole("row", { name: new RegExp(`${project.id}/good-answers`) }).waitFor();
  });
});
