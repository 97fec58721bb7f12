// Secrets, webhooks, automations and deliveries in a real browser.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";

import { ArtifactProject } from "../http/support/artifacts.mjs";
import { eventually, makeAutomation, makeWebhook, settled } from "../http/support/deliveries.mjs";
import { makeMember, makeTeam } from "../http/support/people.mjs";
import { startReceiver } from "../http/support/receiver.mjs";
import { openPage, startConsole } from "./support/console_page.mjs";

const HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>\u202Egpj.exe";

let started;
let server;
let team;
let artifacts;
let receiver;
let opened;
let page;

before(async () => {
  started = await startConsole({ args: ["--webhooks-retry-delays", "20ms", "--webhooks-retry-jitter", "0"] });
  ({ server } = started);
  ({ name: team } = await makeTeam(server));
  const project = await server.api("POST", "/api/v1/projects", { body: { team, name: "lab" } });
  assert.equal(project.status, 201, project.text);
  artifacts = new ArtifactProject(server, team);
  await artifacts.put("model", { "a.txt": "0" });
  receiver = await startReceiver();
});
after(async () => {
  await receiver?.close();
  await started?.close();
});

beforeEach(async () => {
  receiver.answer = { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify({ accepted: true }) };
  opened = await openPage(started);
  ({ page } = opened);
});
afterEach(() => opened.close());

const button = (name) => page.getByRole("button", { name, exact: true });
const dialog = () => page.getByRole("dialog");
/** A field of the open dialog; labels of required ones end with a star. */
const field = (name) => dialog().getByLabel(new RegExp(`^${name}( \\*)?$`));
const setAlias = (alias) => artifacts.ok("PUT", `/collections/model/versions/v0/aliases/${alias}`);

describe("from a secret to a delivery", () => {
  test("a person creates all parts, sees the answer, and sends the delivery again", async () => {
    await opened.go(`t/${team}?tab=secrets`);
    await button("New secret").click();
    await field("Name").fill("CI_TOKEN");
    await field("Value").fill("tok_example_123");
    await button("Store the secret").click();
    await page.getByRole("table").getByText("CI_TOKEN").waitFor();

    await opened.go(`t/${team}/webhooks`);
    await page.getByText("No webhooks yet").waitFor();
    await button("New webhook").click();
    await field("Name").fill("ci");
    await field("Endpoint").fill(`${receiver.url}dispatches`);
    await field("Access token").selectOption("CI_TOKEN");
    await button("Create the webhook").click();
    await page.getByRole("heading", { name: "ci", level: 1 }).waitFor();

    const before = receiver.requests.length;
    await button("Test").click();
    await button("Send the test").click();
    await page.getByText("The endpoint accepted the request").waitFor();
    await dialog().getByText("Bearer ***").waitFor();
    await dialog().getByText('"accepted"').waitFor();
    assert.equal(receiver.requests[before].headers.authorization, "Bearer tok_example_123");
    await button("Close").last().click();

    await opened.go(`t/${team}/automations?new=production`);
    await field("Where").selectOption("lab");
    await field("Then call").selectOption({ label: "ci" });
    await field("Payload").selectOption("own");
    await field("Template").fill('{"who":"${event_author}","alias":"${alias}","odd":"${nothing}"}');
    // The newest event of the kind is the alias of the first version.
    await dialog().getByText('"latest"').waitFor();
    await dialog().getByText(/`\$\{nothing\}` is neither a variable nor a secret/).waitFor();
    await dialog().getByText("The automation would not react to this event", { exact: false }).waitFor();
    await field("Template").fill('{"alias":"${alias}"');
    await dialog().getByText(/does not result in valid JSON/).waitFor();
    await field("Template").fill('{"alias":"${alias}"}');
    await dialog().getByLabel("Values of the preview").selectOption("(example)");
    await dialog().getByText('"production"').waitFor();
    await button("Create the automation").click();
    await page.getByRole("heading", { name: "deploy production", level: 1 }).waitFor();

    const tested = receiver.requests.length;
    await setAlias("production");
    const requests = await receiver.received(tested + 1);
    assert.equal(requests[tested].body, '{"alias":"production"}');

    await opened.go(`t/${team}/deliveries`);
    await page.getByRole("table").getByText("succeeded").first().waitFor();
    await page.locator("a.ui-cover").first().click();
    await page.getByRole("heading", { name: "Attempts" }).waitFor();
    await page.getByText('"accepted"').waitFor();
    await button("Send again").click();
    await dialog().getByText("The same payload and id").waitFor();
    await dialog().getByRole("button", { name: "Send again" }).click();
    await receiver.received(tested + 2);
    assert.equal(receiver.requests[tested + 1].headers["webhook-id"], receiver.requests[tested].headers["webhook-id"]);
    assert.equal(receiver.requests[tested + 1].body, receiver.requests[tested].body);
  });
});

describe("an endpoint that fails", () => {
  test("shows its answers as text, and gets what it missed", async () => {
    receiver.answer = { status: 500, headers: { "content-type": "text/html" }, body: HOSTILE };
    const webhook = await makeWebhook(server, team, { url_endpoint: `${receiver.url}broken` });
    const automation = await makeAutomation(server, team, { type: "ADD_ARTIFACT_ALIAS", alias_regex: "^stage$" }, webhook);
    await setAlias("stage");
    const [delivery] = await settled(server, { automation_id: automation.id }, 1);

    await opened.go(`t/${team}/webhooks`);
    await page.getByRole("row", { name: new RegExp(webhook.name) }).getByText("1 failure").waitFor();
    await page.getByRole("link", { name: webhook.name }).click();
    await page.getByRole("table").getByText("failed", { exact: true }).waitFor();

    await opened.go(`deliveries/${delivery.id}`);
    await page.getByText("<img src=x onerror=alert(1)>", { exact: false }).first().waitFor();
    assert.equal(await page.locator("main img, main script").count(), 0);

    receiver.answer = { status: 204 };
    const sent = receiver.requests.length;
    await opened.go(`t/${team}/webhooks/${webhook.id}`);
    await button("Recover").click();
    await dialog().getByText(/1 delivery failed/).waitFor();
    await dialog().getByRole("button", { name: "Send again" }).click();
    await receiver.received(sent + 1);
    await page.getByText("1 delivery will be sent again.").waitFor();
  });
});

describe("changes", () => {
  test("an automation is switched off in the list, a webhook in its page", async () => {
    const webhook = await makeWebhook(server, team, { url_endpoint: receiver.url });
    const automation = await makeAutomation(server, team, { type: "RUN_STATE", states: ["FAILED"] }, webhook);
    await opened.go(`t/${team}/automations`);
    const toggle = page.getByRole("switch", { name: `${automation.name} is enabled` });
    await toggle.click();
    await page.locator('input[role="switch"]:not(:checked)').first().waitFor({ state: "attached" });
    // A browser shows the other state before the server has stored it.
    const { json } = await eventually(() => server.api("GET", `/api/v1/automations/${automation.id}`), (answer) => answer.json.enabled === false);
    assert.equal(json.enabled, false);

    await opened.go(`t/${team}/webhooks/${webhook.id}`);
    await button("Disable").click();
    await page.getByText(/This webhook is disabled/).waitFor();
    await button("Enable").click();
    await button("Disable").waitFor();
  });

  test("what the server refuses is said beside the field, and nothing typed is lost", async () => {
    const taken = await makeWebhook(server, team, { url_endpoint: receiver.url });
    await opened.go(`t/${team}/webhooks?new=1`);
    await field("Name").fill(taken.name);
    await field("Endpoint").fill(receiver.url);
    await button("Create the webhook").click();
    await dialog().getByRole("alert").first().waitFor();
    assert.equal(await field("Endpoint").inputValue(), receiver.url);
  });
});

describe("rights", () => {
  test("a member sees the lists without the actions", async () => {
    const member = await makeMember(server, team, "MEMBER");
    const mine = await openPage(started, { key: member.key });
    for (const path of ["webhooks", "automations", "deliveries"]) {
      await mine.go(`t/${team}/${path}`);
      await mine.page.getByRole("table").first().waitFor();
      assert.equal(await mine.page.getByRole("button", { name: /^New / }).count(), 0, path);
      assert.equal(await mine.page.getByRole("switch").count(), 0, path);
    }
    await mine.close();
  });

  test("somebody of another team is told that nothing is there", async () => {
    const other = await makeTeam(server);
    const stranger = await makeMember(server, other.name, "ADMIN");
    const theirs = await openPage(started, { key: stranger.key });
    await theirs.go(`t/${team}/webhooks`);
    await theirs.page.getByText(/is not there/).waitFor();
    await theirs.close();
  });
});
