// Traces, one trace, comparison, threads, agents and search in a real browser.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";

import { openPage, startConsole } from "./support/console_page.mjs";
import { HOSTILE, TracedProject } from "./support/traced_project.mjs";

const PROJECT = "observed/support";
const HOME = `p/${PROJECT}`;
const LARGE = 10_000;

let started;
let project;
let traces;
let hostile;
let large;
let opened;
let page;

before(async () => {
  started = await startConsole();
  project = new TracedProject(started, PROJECT);
  await project.post("/api/v1/teams", { name: "observed" });
  await project.post("/api/v1/projects", { team: "observed", name: "support" });
  await project.post("/api/v1/projects", { team: "observed", name: "empty" });
  traces = await project.addTraces(150);
  hostile = await project.addHostileTrace();
  large = await project.addLargeTrace(LARGE);
  await project.addAgentTurns("planner", "v1", "chat-1", 2);
  await project.addAgentTurns("planner", "v2", "chat-2", 1);
});
after(() => started?.close());

beforeEach(async () => {
  opened = await openPage(started);
  ({ page } = opened);
});
afterEach(() => opened.close());

const rows = () => page.getByRole("grid").getByRole("row").filter({ has: page.getByRole("gridcell") });
const param = (name) => new URL(page.url()).searchParams.get(name);

async function filterBy(text) {
  const field = page.getByRole("combobox", { name: "Filter" });
  await field.waitFor();
  await opened.keysReady(); // a new field takes its text from the address after the next frame
  await field.fill(text);
  await page.keyboard.press("Enter");
}

describe("the explorer", () => {
  test("finds slow failures and sends them to a dataset", async () => {
    await opened.go(`${HOME}/traces`);
    await filterBy("status:error latency:>2s tenant:t7");
    await page.getByText("30 traces match").waitFor();
    assert.equal(param("q"), "status:error latency:>2s tenant:t7");
    await rows().first().waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("grid").focus();
    await page.keyboard.press("x");
    await page.getByRole("button", { name: "Select all that match" }).click();
    await page.getByRole("button", { name: "To dataset" }).click();
    await page.getByRole("heading", { name: "Add 30 calls to a dataset" }).waitFor();
    await page.getByRole("combobox", { name: /Dataset/ }).fill("slow-failures");
    await page.keyboard.press("Tab");
    await page.getByRole("button", { name: "Add to the dataset" }).click();
    await page.getByText(/dataset slow-failures: 30 calls done/).waitFor();
    const answer = await project.post("/objs/query", { project_id: PROJECT, filter: { object_ids: ["slow-failures"] } });
    assert.equal(answer.objs.length, 1);
  });

  test("says what is wrong with a filter and keeps the list", async () => {
    await opened.go(`${HOME}/traces`);
    await rows().first().waitFor();
    await filterBy("status:errr");
    await page.getByRole("alert").getByText(/errr is no status at character 8/).waitFor();
    assert.equal(param("q"), null);
    assert.ok((await rows().count()) > 10);
  });

  test("includes and excludes values of facets", async () => {
    await opened.go(`${HOME}/traces`);
    const facets = page.getByRole("complementary", { name: "Facets" });
    await facets.getByRole("button", { name: /error/ }).first().click();
    await page.waitForURL(/q=status/);
    assert.equal(param("q"), "status:error");
    // The other states remain to choose from.
    await facets.getByRole("button", { name: /ok/ }).first().waitFor();
    await facets.getByRole("button", { name: "Exclude answer_question" }).click();
    await page.waitForFunction(() => new URL(location.href).searchParams.get("q") === "status:error -op:answer_question");
  });

  test("zooms by drag and goes back", async () => {
    await opened.go(`${HOME}/traces`);
    const strip = page.getByRole("group", { name: /Calls over time: [1-9]/ }); // without calls, nothing can be chosen
    await page.getByText(/15\d traces match/).waitFor();
    const box = await strip.boundingBox();
    await page.mouse.move(box.x + box.width * 0.5, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.7, box.y + 20, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/range=/);
    assert.match(param("range"), /~/);
    await page.goBack();
    await page.getByText(/15\d traces match/).waitFor();
  });

  test("reads further pages while scrolling", async () => {
    await opened.go(`${HOME}/traces?scope=all&range=all`);
    await rows().first().waitFor();
    const grid = page.getByRole("grid");
    const before = Number(await grid.getAttribute("aria-rowcount"));
    await grid.focus();
    await page.keyboard.press("End");
    await page.waitForFunction((count) => Number(document.querySelector("[role=grid]").getAttribute("aria-rowcount")) > count, before);
  });

  test("works by keyboard: move, peek, select, open", async () => {
    await opened.go(`${HOME}/traces?q=tenant%3At7`);
    await rows().first().waitFor();
    await opened.keysReady();
    await page.keyboard.press("j");
    await page.keyboard.press(" ");
    await page.getByRole("region", { name: "Call" }).getByText("TimeoutError").waitFor();
    assert.equal(param("peek"), traces[5].root);
    await page.keyboard.press("j");
    await page.waitForFunction((id) => new URL(location.href).searchParams.get("peek") === id, traces[10].root);
    await page.keyboard.press("x");
    await page.getByText("1 selected").waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(`/traces/${traces[10].trace}`));
  });

  test("saves, opens and deletes a view", async () => {
    await opened.go(`${HOME}/traces?q=status%3Aerror`);
    await page.getByRole("button", { name: "Views" }).click();
    await page.getByRole("menuitem", { name: /Save as a view/ }).click();
    await page.getByRole("textbox", { name: /Name/ }).fill("failures");
    await page.getByRole("checkbox", { name: /Share/ }).check();
    await page.getByRole("button", { name: "Save the view" }).click();
    await page.getByRole("button", { name: "View: failures" }).waitFor();
    await opened.go(`${HOME}/traces`);
    await page.getByRole("button", { name: "Views" }).click();
    await page.getByRole("menuitemradio", { name: "failures" }).click();
    await page.waitForURL(/q=status/);
    await page.getByRole("button", { name: "View: failures" }).click();
    await page.getByRole("menuitem", { name: /Delete failures/ }).click();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("button", { name: "Views" }).waitFor();
  });

  test("names the condition that removes most, and what to do in an empty project", async () => {
    await opened.go(`${HOME}/traces?q=status%3Aerror%20tenant%3Anobody`);
    await page.getByRole("button", { name: /Without tenant:nobody/ }).click();
    await rows().first().waitFor();
    assert.equal(param("q"), "status:error");
    await opened.go("p/observed/empty/traces");
    await page.getByRole("heading", { name: "No traces yet" }).waitFor();
    await page.getByText('weave.init("observed/empty")').waitFor();
  });

  test("types the number before deleting many", async () => {
    await opened.go(`${HOME}/traces`);
    await rows().first().waitFor();
    await opened.keysReady();
    await page.getByRole("grid").focus();
    await page.keyboard.press("x");
    await page.getByRole("button", { name: "Select all that match" }).click();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("heading", { name: /Delete 1\d\d calls\?/ }).waitFor();
    assert.ok(await dialog.getByRole("button", { name: "Delete" }).isDisabled());
    await dialog.getByRole("button", { name: "Cancel" }).click();
  });
});

describe("a trace", () => {
  test("of 10,000 steps opens, finds and shows errors only", async () => {
    await opened.go(`${HOME}/traces/${large.trace}?tab=io`);
    await page.getByText(/10.000 steps/).waitFor();
    const tree = page.getByRole("tree", { name: "Spans" });
    await tree.getByRole("treeitem", { name: /research_agent/ }).waitFor();
    assert.ok((await tree.getByRole("treeitem").count()) < 100, "the tree is virtual");
    await opened.keysReady();
    await page.keyboard.press("e");
    await page.getByText("100 steps", { exact: true }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("nothing like this");
    await page.getByText("0 steps", { exact: true }).waitFor();
  });

  test("shows chat, payloads, costs and raw data of a step", async () => {
    await opened.go(`${HOME}/traces/${traces[1].trace}`);
    await page.getByRole("article").filter({ hasText: "I have started a refund." }).waitFor();
    await page.getByRole("treeitem", { name: /search_orders/ }).click();
    await page.waitForURL((url) => url.searchParams.get("span") === traces[1].tool);
    assert.equal(param("span"), traces[1].tool);
    await page.getByRole("tab", { name: "In/Out" }).click();
    await page.getByText('"order"').first().waitFor();
    await page.getByRole("tab", { name: "Raw" }).click();
    await page.getByText('"op_name"').waitFor();
    await page.getByRole("treeitem", { name: /answer_question/ }).click();
    await page.getByRole("tab", { name: "Costs" }).click();
    await page.getByRole("table", { name: "Usage by model" }).getByText("gpt-4o").waitFor();
  });

  test("takes reactions and notes", async () => {
    await opened.go(`${HOME}/traces/${traces[2].trace}?tab=feedback`);
    await page.getByRole("button", { name: "thumbs up" }).click();
    await page.getByRole("button", { name: "1 thumbs up", pressed: true }).waitFor();
    await page.getByRole("button", { name: "Note" }).click();
    await page.getByRole("textbox", { name: /Note/ }).fill("wrong tone");
    await page.getByRole("button", { name: "Save the note" }).click();
    await page.getByRole("listitem").filter({ hasText: "wrong tone" }).waitFor();
    await page.getByRole("button", { name: "1 thumbs up" }).click();
    await page.getByRole("button", { name: "thumbs up", exact: true, pressed: false }).waitFor();
  });

  test("steps to its neighbours, also from a call's id", async () => {
    await opened.go(`${HOME}/traces/${traces[10].tool}`);
    await page.waitForURL(new RegExp(`/traces/${traces[10].trace}\\?span=${traces[10].tool}`));
    await page.getByRole("treeitem", { name: /search_orders/, selected: true }).waitFor();
    await page.getByRole("link", { name: /Next trace/ }).waitFor();
    await opened.keysReady();
    await page.keyboard.press("]");
    await page.waitForURL(new RegExp(`/traces/${traces[11].trace}`));
    await page.getByRole("link", { name: /Previous trace/ }).waitFor();
    await opened.keysReady();
    await page.keyboard.press("[");
    await page.waitForURL(new RegExp(`/traces/${traces[10].trace}`));
  });

  test("that is not there says so", async () => {
    await opened.go(`${HOME}/traces/00000000000000000000000000000000`);
    await page.getByRole("heading", { name: "This trace is not there" }).waitFor();
  });
});

describe("other views", () => {
  test("compare aligned steps of two traces", async () => {
    await opened.go(`${HOME}/compare?ids=${traces[1].trace},${traces[5].trace}`);
    await page.getByRole("grid", { name: "Steps" }).getByText("search_orders").waitFor();
    await page.getByText("TimeoutError: the model did not answer").waitFor();
    await opened.go(`${HOME}/compare`);
    await page.getByRole("heading", { name: "Pick two traces" }).waitFor();
  });

  test("show a conversation with feedback by turn", async () => {
    await opened.go(`${HOME}/threads`);
    await page.getByRole("grid", { name: "Conversations" }).getByText("conversation-1").click();
    await page.waitForURL(/threads\/conversation-1/);
    await page.getByText("Turn 1", { exact: true }).waitFor();
    const foot = page.locator("footer").filter({ has: page.getByText("Turn 1", { exact: true }) });
    await foot.getByRole("button", { name: "thumbs down" }).click();
    await foot.getByRole("button", { name: "1 thumbs down", pressed: true }).waitFor();
  });

  test("list agents and compare their versions", async () => {
    await opened.go(`${HOME}/agents`);
    await page.getByRole("link", { name: "planner" }).click();
    const versions = page.getByRole("table", { name: "Versions" });
    await versions.getByText("v1").waitFor();
    await versions.getByText("v2").waitFor();
    await page.getByText("Latency p95").waitFor();
  });

  test("search in either case and jump to the step", async () => {
    await opened.go(`${HOME}/search`);
    await page.getByRole("textbox", { name: /Search/ }).waitFor();
    await opened.keysReady();
    await page.getByRole("textbox", { name: /Search/ }).fill("REFUND");
    await page.getByRole("heading", { name: "Calls" }).waitFor();
    await page.locator("mark").getByText("refund").first().waitFor();
    await page.locator(".found-call").first().click();
    await page.waitForURL(/traces\/.*span=/);
    await opened.go(`${HOME}/search?q=xyzzyplugh`);
    await page.getByRole("heading", { name: "Nothing found" }).waitFor();
  });

  test("show hostile content as text", async () => {
    const shown = HOSTILE.slice(0, 28);
    await opened.go(`${HOME}/traces?peek=${hostile.root}`);
    await page.getByRole("region", { name: "Call" }).getByText(shown).first().waitFor();
    for (const tab of ["chat", "io", "feedback", "raw"]) {
      await opened.go(`${HOME}/traces/${hostile.trace}?tab=${tab}`);
      await page.getByRole("heading", { level: 1 }).getByText(shown).waitFor();
      await page.getByRole("tabpanel").waitFor();
    }
    await opened.go(`${HOME}/threads/${encodeURIComponent(HOSTILE.slice(0, 40))}`);
    await page.getByText("Turn 1", { exact: true }).waitFor();
    await opened.go(`${HOME}/search?q=${encodeURIComponent("<script>alert(2)")}`);
    await page.locator("mark").first().waitFor();
    assert.equal(await page.locator("main script, main img, main iframe").count(), 0);
  });
});
