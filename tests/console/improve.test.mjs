// Evaluations, their comparison, datasets, annotation, playground and objects in a real browser.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";

import { openPage, startConsole } from "./support/console_page.mjs";
import { HOSTILE, ImprovementProject } from "./support/improvement_project.mjs";
import { startStreamingModel } from "./support/streaming_model.mjs";

const PROJECT = "improved/support";
const HOME = `p/${PROJECT}`;

let started;
let model;
let project;
let runs;
let calls;
let queue;
let opened;
let page;

before(async () => {
  started = await startConsole();
  model = await startStreamingModel({ small: "It arrives on Tuesday.", large: "It arrives on Monday, I promise.", careful: "I have to ask the carrier first." });
  project = new ImprovementProject(started, PROJECT);
  await project.post("/api/v1/teams", { name: "improved" });
  await project.post("/api/v1/projects", { team: "improved", name: "support" });
  await project.post("/api/v1/projects", { team: "improved", name: "empty" });
  await project.post("/api/v1/upstreams", { name: "streaming", url: model.url });
  for (const name of ["small", "large"]) await project.post("/api/v1/models", { name, targets: [{ upstream: "streaming", model: name }] });
  await project.addEvaluation(20);
  runs = [await project.addRun(0.1, (index) => index < 14), await project.addRun(0.9, (index) => index >= 4)];
  calls = await project.addCalls(3);
  queue = await project.addQueue("This week", calls);
  await project.prompt("greeting", "You are kind.");
  await project.prompt("greeting", "You are kind and brief.");
});
after(async () => {
  await model?.close();
  await started?.close();
});

beforeEach(async () => {
  opened = await openPage(started);
  ({ page } = opened);
});
afterEach(() => opened.close());

const rows = () => page.getByRole("grid").getByRole("row").filter({ has: page.getByRole("gridcell") });
/** A field of the open dialog; labels of required ones end with a star. */
const field = (name) => page.getByRole("dialog").getByLabel(new RegExp(`^${name}( \\*)?$`));
const param = (name) => new URL(page.url()).searchParams.get(name);

describe("evaluations", () => {
  test("two runs are selected by keyboard and compared", async () => {
    await opened.go(`${HOME}/evals`);
    await page.getByRole("grid", { name: "Runs" }).focus();
    await rows().nth(1).waitFor();
    await opened.keysReady();
    for (const key of ["x", "j", "x", "c"]) await page.keyboard.press(key);
    await page.waitForURL(/evals\/compare/);
    assert.deepEqual(param("runs").split(","), runs);
  });

  test("the comparison shows intervals and opens the four examples that got worse", async () => {
    await opened.go(`${HOME}/evals/compare?runs=${runs.join(",")}`);
    const metric = page.getByRole("table", { name: /Metrics/ }).getByRole("row").filter({ hasText: "exact.passed" });
    await metric.getByText("+10 pp", { exact: true }).waitFor();
    await metric.getByText("6 ▲").waitFor();
    await page.getByRole("button", { name: "worse 4" }).click();
    await page.waitForFunction(() => document.querySelectorAll(".ui-grid-row").length === 4);
    assert.equal(param("only"), "worse");
    await page.getByRole("grid", { name: "Examples" }).focus();
    await opened.keysReady();
    const before = param("row");
    await page.keyboard.press("j");
    await page.waitForFunction((old) => new URL(location.href).searchParams.get("row") !== old, before);
    await page.keyboard.press("d");
    await page.getByRole("group", { name: /A guide.* and B guide/ }).waitFor();
    await page.keyboard.press("t");
    await page.getByRole("dialog").getByText("quiz_rows:v0").waitFor({ state: "attached" });
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText(/row is in quiz_rows:v1/).waitFor();
  });

  test("both traces of each of the four examples that got worse are opened by keyboard", async () => {
    await opened.go(`${HOME}/evals/compare?runs=${runs.join(",")}&only=worse`);
    const pairs = new Set();
    for (let example = 0; example < 4; example += 1) {
      const examples = page.getByRole("grid", { name: "Examples" });
      await examples.waitFor(); // the screen before may have a grid of four rows, too
      await page.waitForFunction(() => document.querySelectorAll(".ui-grid-row").length === 4);
      await examples.focus();
      await opened.keysReady();
      if (example > 0) {
        const before = param("row");
        await page.keyboard.press("j");
        await page.waitForFunction((old) => new URL(location.href).searchParams.get("row") !== old, before);
      }
      await page.keyboard.press("Enter");
      await page.waitForURL(/\/compare\?ids=/);
      pairs.add(param("ids"));
      await page.getByText(/I do not know [0-3]/).first().waitFor();
      await page.getByText(/Answer [0-3]/).first().waitFor();
      await page.goBack();
      await page.waitForURL(/evals\/compare/);
    }
    assert.equal(pairs.size, 4);
  });

  test("a run shows its failed examples, and hostile rows as text", async () => {
    await opened.go(`${HOME}/evals/${runs[1]}`);
    await page.getByText("20 examples").waitFor();
    await page.getByText("Failed", { exact: true }).click();
    await page.getByText("4 examples where exact.passed is false").waitFor();
    await page.getByText("<img src=x onerror=alert(1)>").first().waitFor();
    assert.equal(await page.locator("img[src=x]").count(), 0);
  });

  test("the leaderboard ranks versions", async () => {
    await opened.go(`${HOME}/evals?view=leaderboard`);
    const first = page.getByRole("table", { name: /Leaderboard/ }).getByRole("row").nth(1);
    await first.getByText("guide:v1").waitFor();
    await first.getByText("80").first().waitFor();
  });

  test("without runs it says what to do", async () => {
    await opened.go("p/improved/empty/evals");
    await page.getByText("No evaluation has run yet").waitFor();
    await page.getByRole("link", { name: "Create a dataset" }).waitFor();
  });
});

describe("datasets", () => {
  test("rows are imported from CSV, edited, published and compared", async () => {
    await opened.go(`${HOME}/datasets?new=1`);
    await page.getByLabel("Name").fill("capitals");
    await page.getByLabel("Or paste rows").fill(`question,target\n"France, please?",Paris\n${HOSTILE},x\n`);
    await page.getByRole("button", { name: "Create 2 rows" }).click();
    await page.waitForURL(/datasets\/capitals/);
    await rows().first().click();
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Row 1 as JSON").fill('{"question": "Italy?", "target": "Rome"}');
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByText("1 change not published").waitFor();
    await page.getByRole("button", { name: "Publish a new version" }).click();
    await page.getByText("capitals:v1 is published.").waitFor();
    await page.getByRole("tab", { name: "Differences" }).click();
    await page.getByText("1 row changed").waitFor();
    assert.equal(await page.locator("img[src=x]").count(), 0);
  });
});

describe("annotation", () => {
  test("a queue is annotated by keyboard only", async () => {
    await opened.go(`${HOME}/queues/${queue}`);
    await page.getByText("Item 1 of 3").waitFor();
    await page.getByText("<img src=x onerror=alert(1)>").first().waitFor();
    // The keys work as soon as the buttons do.
    const ready = async () => {
      await page.getByRole("button", { name: /^Skip/, disabled: false }).waitFor();
      await opened.keysReady();
    };
    await ready();
    for (const key of ["2", "4", "Enter"]) await page.keyboard.press(key);
    await page.getByText("1 of 3 done").waitFor();
    await page.getByText("Item 2 of 3").waitFor();
    await ready();
    await page.keyboard.press("s");
    await page.getByText("2 of 3 done").waitFor();
    await page.getByText("Item 3 of 3").waitFor();
    await ready();
    for (const key of ["1", "5", "Enter"]) await page.keyboard.press(key);
    await page.getByText("All items are done").waitFor();
    const who = page.getByRole("table", { name: "Who did what" }).getByRole("row").nth(1).getByRole("cell");
    await who.nth(3).getByText("4", { exact: true }).waitFor(); // the counts follow when the answers have been read again
    assert.deepEqual((await who.allTextContents()).slice(1), ["2", "1", "4"]);
    const { result } = await project.post("/feedback/query", { project_id: PROJECT, query: { $expr: { $eq: [{ $getField: "queue_id" }, { $literal: queue }] } } });
    assert.deepEqual(result.map(({ payload }) => payload.value).sort(), ["correct", "incomplete", 4, 5].sort());
  });
});

describe("the playground", () => {
  test("asks three models, one of a new upstream, shows their differences, and saves a prompt", async () => {
    await opened.go("inference?tab=upstreams&new=1");
    await field("Name").fill("second");
    await field("Address").fill(model.url);
    await page.getByRole("button", { name: "Add the upstream" }).click();
    await page.getByRole("row", { name: /second/ }).waitFor();
    await opened.go("inference?new=1");
    await field("Name").fill("careful");
    await field("Upstream").selectOption("second");
    await field("Model there").fill("careful");
    await page.getByRole("button", { name: "Add the model" }).click();
    await page.getByRole("row", { name: /careful/ }).waitFor();

    await opened.go(`${HOME}/playground?from=${calls[1]}&models=small,large`);
    await page.waitForFunction(() => document.querySelector("textarea")?.value === "Where is order 1?");
    await page.getByRole("button", { name: "Model", exact: true }).click();
    await page.getByRole("region", { name: "Answer 3" }).getByRole("combobox").fill("careful");
    await page.getByRole("option", { name: "careful" }).click();
    await page.getByRole("button", { name: /Send to 3 models/ }).click();
    for (const text of ["It arrives on Tuesday.", "It arrives on Monday, I promise.", "I have to ask the carrier first."]) await page.getByText(text).waitFor();
    assert.equal(param("models"), "small,large,careful");
    await page.getByRole("button", { name: "Differences" }).click();
    await page.locator("ins").filter({ hasText: "Monday" }).waitFor();
    await page.locator("ins").filter({ hasText: "carrier" }).waitFor();
    await page.locator("del").filter({ hasText: "Tuesday" }).first().waitFor();
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Save as a prompt" }).click();
    await page.getByLabel("Name").fill("order question");
    await page.keyboard.press("Tab");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("The prompt order_question is saved.").waitFor();
  });
});

describe("objects", () => {
  test("versions are compared and an alias is set", async () => {
    await opened.go(`${HOME}/objects/prompts/greeting?view=diff`);
    await page.locator("ins").filter({ hasText: "brief" }).waitFor();
    await page.getByRole("button", { name: "Alias" }).click();
    await page.getByRole("textbox", { name: "Alias" }).fill("production");
    await page.getByRole("button", { name: "Set the alias" }).click();
    await page.getByRole("button", { name: "Remove the alias production" }).waitFor();
    const { obj } = await project.post("/obj/read", { project_id: PROJECT, object_id: "greeting", digest: "production" });
    assert.equal(obj.version_index, 1);
  });
});
