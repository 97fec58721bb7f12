// From traces to a checkpoint in production, and the screens of runs, artifacts and registries, in a real browser.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";

import { makeAutomation, makeWebhook } from "../http/support/deliveries.mjs";
import { makeMember, makeTeam } from "../http/support/people.mjs";
import { OWN_TRAINER_ENV } from "../http/support/real_trainer.mjs";
import { startReceiver } from "../http/support/receiver.mjs";
import { waitLimit } from "../http/support/time_limits.mjs";
import { openPage, startConsole } from "./support/console_page.mjs";
import { ImprovementProject } from "./support/improvement_project.mjs";
import { recordRatedAnswers, trainHelper } from "./support/trained_project.mjs";

const TRAINED = { timeout: waitLimit(120_000) };
const HOSTILE = '<img src=x onerror="alert(1)">\u202egnp';

let started;
let server;
let team;
let admin;
let member;
let viewer;
/** `team/lab`, with a model that was trained before. */
let lab;
let job;
let opened;
let page;

before(async () => {
  started = await startConsole({ env: OWN_TRAINER_ENV });
  ({ server } = started);
  ({ name: team } = await makeTeam(server));
  admin = (await makeMember(server, team, "ADMIN")).key;
  member = (await makeMember(server, team, "MEMBER")).key;
  viewer = (await makeMember(server, team, "VIEWER")).key;
  lab = `${team}/lab`;
  await recordRatedAnswers(server, lab);
  job = await trainHelper(server, lab);
});
after(() => started?.close());

const inLab = (path) => `p/${lab}/${path}`;
const button = (name) => page.getByRole("button", { name, exact: true });
const link = (name) => page.getByRole("link", { name, exact: true });
const dialog = () => page.getByRole("dialog");
const heading = (name) => page.getByRole("heading", { level: 1, name });
const tab = (name) => page.getByRole("tab", { name });

/** Opens a page of somebody for each test of the suite. */
function pageOf(key) {
  beforeEach(async () => {
    opened = await openPage(started, { key: key() });
    ({ page } = opened);
  });
  afterEach(() => opened.close());
}

describe("from traces to production", () => {
  let receiver;
  let project;
  pageOf(() => admin);
  before(async () => {
    project = `${team}/support`;
    await recordRatedAnswers(server, project);
    receiver = await startReceiver();
    const webhook = await makeWebhook(server, team, { name: "deploy", url_endpoint: receiver.url });
    await makeAutomation(server, team, { type: "ADD_ARTIFACT_ALIAS", alias_regex: "^production$" }, webhook, {
      name: "deploy production", scope: { type: "project", team, project: "support" }, payload: '{"deploy":"${artifact_version_string}"}',
    });
  });
  after(() => receiver?.close());

  test("a person fine-tunes on good traces, watches the loss, asks the checkpoint, releases it, and replays the delivery", async () => {
    await opened.go(`p/${project}/training`);
    await page.getByText("Nothing was trained yet").waitFor();
    await button("Train a model").first().click();
    await page.getByText("12 calls match").waitFor();
    await button("Next: reward").click();
    await page.getByRole("radio", { name: /From feedback/ }).check();
    await page.getByRole("combobox", { name: /^Feedback/ }).fill("qual");
    await page.getByRole("option", { name: /^quality/ }).click();
    await page.getByRole("combobox", { name: /^Path of the number/ }).click();
    await page.getByRole("option", { name: /^value/ }).click();
    await page.getByLabel("Smallest reward").fill("1");
    await button("Next: preview").click();
    await page.getByText("4 below the smallest reward", { exact: false }).waitFor();
    assert.match(page.url(), /wizard=/, "a link continues here");
    await page.reload();
    await page.getByText("Only 8 examples", { exact: false }).waitFor();
    await button("Next: start").click();
    await page.getByLabel(/^Name( \*)?$/).fill("helper");
    await page.getByLabel("Learning rate").fill("0.001");
    await page.getByLabel("Batch size").fill("1");
    await button("Start training").click();

    await heading("helper").waitFor();
    const loss = page.getByRole("figure", { name: "loss" });
    await loss.waitFor(TRAINED);
    await page.getByText("completed").first().waitFor(TRAINED);
    await page.getByText("training ended").waitFor();
    await loss.getByRole("button", { name: "Show as a table" }).click();
    await loss.getByRole("row").nth(8).waitFor();
    assert.equal(await loss.getByRole("row").count(), 9, "a title and one row for each of 8 steps");
    await page.getByText(/2 of \d+ settings differ from the defaults/).waitFor();

    await button("Ask").click();
    await dialog().getByLabel("Your message").fill("Reverse the list: ant bee");
    await dialog().getByRole("button", { name: "Ask", exact: true }).click();
    await dialog().getByText(/Checkpoint · .* token/).waitFor(TRAINED);
    await dialog().getByRole("button", { name: "Close" }).click();

    await button("→ production").click();
    await button("Give the alias").click();
    await page.getByText("Step 1 of helper is in production.").waitFor();
    const [sent] = await receiver.received(1);
    assert.match(JSON.parse(sent.body).deploy, /helper/);

    await link("Deliveries").click();
    await page.getByRole("row", { name: /succeeded.*deploy production/ }).getByRole("link").click();
    await page.getByRole("heading", { name: "Attempts" }).waitFor();
    await page.getByText('"deploy"').waitFor();
    await button("Send again").click();
    await dialog().getByRole("button", { name: "Send again" }).click();
    const [, again] = await receiver.received(2);
    assert.equal(again.headers["webhook-id"], sent.headers["webhook-id"]);
    assert.equal(again.body, sent.body);
  });
});

describe("training", () => {
  pageOf(() => member);

  test("the ladder shows the checkpoints, releases one, and asks before it deletes one", async () => {
    await opened.go(inLab("models"));
    await link("helper").click();
    await page.getByText("not in production", { exact: false }).waitFor();
    await page.getByRole("row", { name: /step 0.*base model/ }).waitFor();
    await button("Further actions for step 1").click();
    await page.getByRole("menuitem", { name: "→ production…" }).click();
    await button("Give the alias").click();
    await page.getByText("step 1 is in production", { exact: false }).waitFor();
    await button("Further actions for step 1").click();
    await page.getByRole("menuitem", { name: "Delete…" }).click();
    await dialog().getByText("It is in production.", { exact: false }).waitFor();
    await dialog().getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("row", { name: /step 1.*production/ }).waitFor();
  });

  test("a job that failed says what to do, and starts again with changes", async () => {
    const { json: again } = await server.api("POST", `/api/v1/training-jobs/${job.id}/retry`, { body: { config: { learning_rate: [1e-3, 1e-3, 1e-3] } } });
    await opened.go(inLab(`training/${again.id}`));
    await page.getByText("The job failed").waitFor(TRAINED);
    await page.getByText("Give one learning rate per batch").waitFor();
    await button("Again with another learning rate…").click();
    await dialog().getByLabel("Learning rate").fill("0.0001");
    await dialog().getByText("Changed: learning_rate").waitFor();
    await button("Start training").click();
    await page.waitForURL((url) => !url.pathname.endsWith(again.id));
    await page.getByText("completed").first().waitFor(TRAINED);
  });

  test("a checkpoint is evaluated, and its score appears", async () => {
    await new ImprovementProject(started, lab).addEvaluation(2);
    await opened.go(inLab("models/helper"));
    await button("Evaluate step 1").click();
    await dialog().getByLabel(/^Evaluation/).waitFor();
    await button("Start the evaluation").click();
    const score = page.getByRole("row", { name: /step 1/ }).getByRole("link", { name: /%$/ });
    await score.click(TRAINED);
    await page.waitForURL(/\/evals\//);
    await heading(/helper-step1/).waitFor();
  });

  test("a dataset is stored as training data", async () => {
    const rows = [{ question: "One and one?", target: "two" }, { question: "Two and two?", target: "four" }];
    const made = await server.api("POST", `/v2/${lab}/datasets`, { body: { name: "sums", rows } });
    assert.equal(made.status, 200, made.text);
    await opened.go(inLab("training?wizard=1"));
    await page.getByRole("radio", { name: /A dataset/ }).check();
    await page.getByRole("combobox", { name: /^Dataset/ }).fill("sums");
    await page.getByRole("option", { name: /sums/ }).click();
    await page.getByLabel("Member with the question").fill("question");
    await page.getByLabel("Member with the right answer").fill("target");
    await button("Next: start").click();
    await page.getByLabel(/^Name( \*)?$/).fill("adder");
    await button("Start training").click();
    await heading("adder").waitFor();
    await page.getByText("completed").first().waitFor(TRAINED);
  });

  test("a viewer sees jobs and no actions", async () => {
    const other = await openPage(started, { key: viewer });
    await other.go(inLab("training"));
    await other.page.getByRole("row", { name: /helper/ }).first().waitFor();
    assert.equal(await other.page.getByRole("button", { name: "Train a model" }).count(), 0);
    await other.go(inLab(`training/${job.id}`));
    await other.page.getByRole("figure", { name: "loss" }).waitFor();
    assert.equal(await other.page.getByRole("button", { name: /Again|Ask|Evaluate|production/ }).count(), 0);
    await other.close();
  });
});

describe("runs", () => {
  pageOf(() => member);
  before(async () => {
    for (const [run, lr] of [["first", 0.1], ["second", 0.2]]) {
      const base = `/api/v1/projects/${lab}/runs`;
      await server.api("POST", base, { body: { run_id: run, name: run === "first" ? HOSTILE : run, config: { lr, seed: 1 }, tags: ["baseline"] } });
      await server.api("POST", `${base}/${run}/history`, { body: { rows: [{ metrics: { loss: 1 } }, { metrics: { loss: lr } }] } });
      await server.api("POST", `${base}/${run}/finish`, { body: { exit_code: 0 } });
    }
  });

  test("two are compared, with the choice in the address", async () => {
    await opened.go(inLab("runs?tag=baseline"));
    await page.getByRole("checkbox", { name: "Select second" }).check();
    await page.getByRole("checkbox", { name: /Select .*onerror/ }).check();
    await link("Compare 2").click();
    const loss = page.getByRole("figure", { name: "loss" });
    await loss.getByText("second").waitFor();
    await loss.getByText("0.2", { exact: true }).waitFor();
    await tab("Configuration").click();
    await page.getByRole("row", { name: /lr/ }).waitFor();
    assert.equal(await page.getByRole("row", { name: /seed/ }).count(), 0, "equal settings are not listed");
    assert.match(page.url(), /compare=.*tab=config/);
  });

  test("one is pinned, renamed and tagged", async () => {
    await opened.go(inLab("runs/second"));
    await button("Pin").click();
    await button("Pinned").waitFor();
    await button("Further actions").click();
    await page.getByRole("menuitem", { name: "Name, tags, notes…" }).click();
    await dialog().getByLabel(/^Name/).fill("renamed");
    await button("Save").click();
    await heading("renamed").waitFor();
    await opened.go(inLab("runs"));
    await page.getByRole("row", { name: /★ renamed/ }).waitFor();
  });

  test("one that does not exist says so", async () => {
    await opened.go(inLab("runs/nothing"));
    await page.getByText(/not (there|found)|does not exist/i).first().waitFor();
  });
});

describe("artifacts and registries", () => {
  pageOf(() => member);

  test("a version is read, tagged, linked into a registry and found there", async () => {
    await opened.go(inLab("artifacts"));
    await link("good-answers").click();
    await link("v0").click();
    await button("View trajectories.jsonl").click();
    await dialog().getByText("messages", { exact: false }).first().waitFor();
    await dialog().getByRole("button", { name: "Close", exact: true }).last().click();
    await button("Add").last().click();
    await page.getByLabel("New tag").fill("reviewed");
    await page.keyboard.press("Enter");
    await button("Remove the tag reviewed").waitFor();
    await tab("Used by").click();
    await page.getByRole("row", { name: /helper.*job/ }).first().waitFor();

    await opened.go("registries?new=1");
    await dialog().getByLabel("Name").fill(`shared-${team}`);
    await button("Create the registry").click();
    await heading(`shared-${team}`).waitFor();
    await opened.go(inLab("artifacts/good-answers/v0"));
    await button("Link…").click();
    await dialog().getByLabel("Registry").selectOption(`shared-${team}`);
    await button("Link").click();
    await page.getByText(/Linked as v0/).waitFor();
    await opened.go(`registries/shared-${team}/good-answers`);
    await page.getByRole("row", { name: new RegExp(`${lab}/good-answers`) }).waitFor();
    await page.getByRole("navigation", { name: "Breadcrumbs" }).getByRole("link", { name: `shared-${team}` }).waitFor();
  });
});
