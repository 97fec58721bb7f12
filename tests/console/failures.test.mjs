// Requests that fail while a person works: each says what happened and what to do, and nothing typed is lost.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";

import { freshName, makeMember, makeTeam } from "../http/support/people.mjs";
import { startServer } from "../http/support/server.mjs";
import { openPage, startConsole } from "./support/console_page.mjs";
import { ImprovementProject } from "./support/improvement_project.mjs";

const NOTE = "Looks wrong: the order was sent twice.";

let started;
let team;
let opened;
let page;

before(async () => {
  started = await startConsole({ args: ["--limits-body", "256KiB"] });
  ({ name: team } = await makeTeam(started.server));
});
after(() => started?.close());

beforeEach(async () => {
  opened = await openPage(started);
  ({ page } = opened);
});
afterEach(() => opened.close());

const api = async (method, path, options) => {
  const answer = await started.server.api(method, path, options);
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
  return answer.json;
};
const button = (name) => page.getByRole("button", { name, exact: true });
/** A field of the form; the dialog about the session lies above it. */
const field = (name) => page.getByRole("dialog").first().getByLabel(new RegExp(`^${name}( \\*)?$`));
const alert = (words) => page.getByRole("alert").filter({ hasText: words });

/** Starts another server for the same browser. */
async function startOther() {
  const server = await startServer();
  return { ...started, server, url: server.url, key: server.adminKey };
}

let projects = 0;
/** Creates a project of the team. Resolves with its id. */
async function makeProject() {
  projects += 1;
  await api("POST", "/api/v1/projects", { body: { team, name: `work-${projects}` } });
  return `${team}/work-${projects}`;
}

async function endSessions(username) {
  const { items } = await api("GET", `/api/v1/sessions?username=${username}`);
  assert.ok(items.length > 0);
  for (const { id } of items) await api("DELETE", `/api/v1/sessions/${id}`);
}

/** Answers the next request of the method to a path as a busy or guarded server does. */
async function answerOnce(method, pattern, status, body, headers = {}) {
  let answered = false;
  await page.route(pattern, (route) => {
    if (answered || route.request().method() !== method) return route.fallback();
    answered = true;
    return route.fulfill({ status, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) });
  });
}

const BUSY = [
  [413, { detail: "The request body is too large" }, {}, "The request body is too large. Make it smaller, or send it in parts."],
  [429, { detail: "Too many requests" }, { "retry-after": "7" }, "Too many requests. Try again in 7 seconds."],
  [503, { detail: "Server is overloaded, try again shortly" }, { "retry-after": "1" }, "Server is overloaded, try again shortly"],
  [502, {}, {}, "The server behind this one did not answer."],
];

let hook;

/** Forms: how one is filled, what was typed, how it is sent, and what says that it worked. */
const FORMS = {
  "a webhook": {
    request: /\/api\/v1\/teams\/[^/]+\/webhooks$/,
    open: async () => {
      hook = freshName("ci");
      await opened.go(`t/${team}/webhooks?new=1`);
      await field("Name").fill(hook);
      await field("Endpoint").fill("https://ci.example.test/hook");
    },
    typed: () => Promise.all([field("Name").inputValue(), field("Endpoint").inputValue()]),
    send: () => button("Create the webhook").click(),
    done: () => page.getByRole("heading", { name: hook, level: 1 }).waitFor(),
  },
  "a dataset": {
    request: /\/v2\/.*\/datasets$/,
    open: async (project) => {
      await opened.go(`p/${project}/datasets?new=1`);
      await field("Name").fill("capitals");
      await field("Or paste rows").fill("question,target\nFrance?,Paris\nSpain?,Madrid\n");
    },
    typed: () => Promise.all([field("Name").inputValue(), field("Or paste rows").inputValue()]),
    send: () => button("Create 2 rows").click(),
    done: () => page.waitForURL(/datasets\/capitals/),
  },
  "a project": {
    request: /\/api\/v1\/projects$/,
    open: async () => {
      await opened.go("");
      await button("New project").click();
      await field("Name").fill("fresh");
      await field("Description").fill("Answers of the support desk");
    },
    typed: () => Promise.all([field("Name").inputValue(), field("Description").inputValue()]),
    send: () => button("Add the project").click(),
    done: () => page.waitForURL(/fresh/),
  },
};

describe("a form whose request is refused", () => {
  for (const [what, form] of Object.entries(FORMS)) {
    test(`of ${what} says why, keeps what was typed, and can be sent again`, async () => {
      await form.open(await makeProject());
      const typed = await form.typed();
      assert.ok(typed.every((text) => text !== ""));
      for (const [status, body, headers, words] of BUSY) {
        await answerOnce("POST", form.request, status, body, headers);
        await form.send();
        await alert(words).waitFor();
        assert.deepEqual(await form.typed(), typed, `after ${status}`);
      }
      await form.send();
      await form.done();
    });
  }

  test("by a limit of the body names it", async () => {
    await opened.go(`p/${await makeProject()}/datasets?new=1`);
    await field("Name").fill("large");
    const text = `question,target\n${`${"How long is it? ".repeat(2000)},long\n`.repeat(40)}`;
    await field("Or paste rows").fill(text);
    await button("Create 40 rows").click();
    await alert(/too large/i).waitFor();
    assert.equal((await field("Or paste rows").inputValue()).length, text.length);
  });

  test("by the rules of the server shows the words beside the field, or below the form", async () => {
    await opened.go(`t/${team}/webhooks?new=1`);
    await field("Name").fill("no/slashes\u202E");
    await field("Endpoint").fill("https://ci.example.test/hook");
    await button("Create the webhook").click();
    await page.getByRole("alert").first().waitFor();
    assert.equal(await field("Endpoint").inputValue(), "https://ci.example.test/hook");
    await field("Name").fill("without-slashes");
    await button("Create the webhook").click();
    await page.getByRole("heading", { name: "without-slashes", level: 1 }).waitFor();
  });
});

describe("reads", () => {
  test("wait for a busy server, then show the answer", async () => {
    const project = await makeProject();
    await answerOnce("GET", /\/api\/v1\/teams\/[^/]+\/webhooks/, 503, { detail: "busy" }, { "retry-after": "1" });
    await opened.go(`t/${team}/webhooks`);
    await page.getByRole("button", { name: "New webhook" }).first().waitFor();
    await answerOnce("POST", /\/calls\/stream_query$/, 429, { detail: "slow down" });
    await opened.go(`p/${project}/traces`);
    await page.getByRole("combobox", { name: "Filter" }).waitFor();
    await page.getByRole("alert").waitFor({ state: "detached" });
  });

  test("that a busy server refuses for long say so and can be repeated", async () => {
    await answerOnce("GET", /\/api\/v1\/teams\/[^/]+\/webhooks/, 503, { detail: "Maintenance." }, { "retry-after": "60" });
    await opened.go(`t/${team}/webhooks`);
    await alert("Maintenance. Try again in 60 seconds.").waitFor();
    await button("Try again").click();
    await page.getByRole("alert").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "New webhook" }).first().waitFor();
  });

  test("too many failed attempts to sign in say when to go on", async () => {
    const own = await startOther();
    const anonymous = await openPage(own, { key: null });
    await anonymous.go("login");
    const key = anonymous.page.getByLabel("API key", { exact: true }).last();
    const words = anonymous.page.getByText(/Too many attempts. Try again in \d+ seconds/);
    for (let attempt = 0; attempt < 100 && !(await words.isVisible()); attempt += 1) {
      await key.fill(`spindle_wrong_${attempt}`);
      const answered = anonymous.page.waitForResponse(/\/api\/v1\/session$/);
      await key.press("Enter");
      await (await answered).finished();
      await anonymous.page.getByRole("alert").first().waitFor();
    }
    await words.waitFor();
    assert.match(await key.inputValue(), /^spindle_wrong_/);
    await anonymous.close();
    await own.server.dispose();
  });
});

describe("a session that ends", () => {
  const form = FORMS["a webhook"];
  let member;

  beforeEach(async () => {
    await opened.close();
    member = await makeMember(started.server, team, "ADMIN");
    opened = await openPage(started, { key: member.key });
    ({ page } = opened);
  });

  const again = () => page.getByRole("dialog", { name: "Your session has ended" });
  const tryKey = async () => {
    await again().getByRole("radio", { name: "API key" }).check({ force: true });
    await again().getByLabel("API key", { exact: true }).last().fill(member.key);
    await again().getByRole("button", { name: "Sign in", exact: true }).click();
  };
  const signIn = async () => {
    await tryKey();
    await again().waitFor({ state: "detached" });
  };

  for (const what of ["a webhook", "a dataset"]) {
    test(`in the middle of a form asks to sign in, then the form is sent: ${what}`, async () => {
      await FORMS[what].open(await makeProject());
      const typed = await FORMS[what].typed();
      await endSessions(member.username);
      await FORMS[what].send();
      await again().getByText(member.username).waitFor();
      assert.deepEqual(await FORMS[what].typed(), typed);
      await signIn();
      await FORMS[what].done();
    });
  }

  test("is not asked for again by reads, and a change asks again", async () => {
    await form.open();
    const typed = await form.typed();
    await endSessions(member.username);
    await form.send();
    await again().getByRole("button", { name: "Not now" }).click();
    await again().waitFor({ state: "detached" });
    assert.deepEqual(await form.typed(), typed);
    await page.getByText("Your session has ended. What you see may be old").waitFor();
    await form.send();
    await signIn();
    await form.done();
    await page.getByText("Your session has ended").first().waitFor({ state: "detached" });
    assert.equal(await page.getByText("Your session has ended").count(), 0);
  });

  test("because the person is suspended says so at the sign-in", async () => {
    await form.open();
    const typed = await form.typed();
    await api("PATCH", `/api/v1/users/${member.username}`, { body: { suspended: true } });
    await form.send();
    await tryKey();
    await again().getByRole("alert").waitFor();
    assert.deepEqual(await form.typed(), typed);
  });

  test("because another person signs in with the same browser is asked for, and the change is made in its own name", async () => {
    await form.open();
    const typed = await form.typed();
    const other = await makeMember(started.server, team, "ADMIN");
    const answer = await opened.context.request.post(`${started.url}/api/v1/session`, {
      data: { api_key: other.key }, headers: { origin: started.url, "sec-fetch-site": "same-origin" },
    });
    assert.equal(answer.status(), 201);
    await form.send();
    await again().getByText(member.username).waitFor();
    assert.deepEqual(await form.typed(), typed);
    await signIn();
    await form.done();
    const { items } = await api("GET", "/api/v1/audit?action=webhook.create&limit=1");
    assert.equal(items[0].actor.username, member.username);
  });
});

describe("a server that cannot be reached", () => {
  test("is waited for: a banner says so, a form keeps its text and is sent when the server is back", async () => {
    const own = await startOther();
    const tab = await openPage(own);
    let restarted;
    try {
      ({ page } = tab);
      const { name } = await makeTeam(own.server);
      await tab.go(`t/${name}/webhooks`);
      await page.getByText("No webhooks yet").waitFor();
      await button("New webhook").click();
      await field("Name").fill("ci");
      await field("Endpoint").fill("https://ci.example.test/hook");
      await own.server.stop();
      await button("Create the webhook").click();
      await alert(/The server cannot be reached/).waitFor();
      assert.equal(await field("Name").inputValue(), "ci");
      await page.getByText(/What you see may be old; it is read again as soon as the server answers/).waitFor();
      restarted = await startServer({ dataDir: own.server.dataDir, listen: new URL(own.url).host });
      await page.getByText(/What you see may be old/).waitFor({ state: "detached" });
      assert.equal(await field("Endpoint").inputValue(), "https://ci.example.test/hook");
      await button("Create the webhook").click();
      await page.getByRole("heading", { name: "ci", level: 1 }).waitFor();

      // A screen that was not loaded before waits for the server, too.
      await restarted.stop();
      await page.getByRole("link", { name: "Usage" }).click();
      await page.getByText(/What you see may be old/).waitFor();
      restarted = await startServer({ dataDir: own.server.dataDir, listen: new URL(own.url).host });
      await page.getByRole("heading", { name: "Usage", level: 1 }).waitFor();
    } finally {
      await tab.context.close();
      await restarted?.kill();
      await own.server.dispose();
    }
  });
});

describe("a thing that was deleted meanwhile", () => {
  test("a project: forms keep their text and say so, nothing creates it again, its pages say that it is not there", async () => {
    await makeProject(); // without any project the home page is another
    const project = await makeProject();
    const form = FORMS["a dataset"];
    const found = page.waitForResponse((answer) => new URL(answer.url()).pathname === `/api/v1/projects/${project}`);
    await form.open(project);
    await found;
    const typed = await form.typed();
    await api("DELETE", `/api/v1/projects/${project}`);
    await form.send();
    await alert(`The project ${project} was deleted. Nothing was stored.`).waitFor();
    assert.deepEqual(await form.typed(), typed);
    assert.equal((await started.server.api("GET", `/api/v1/projects/${project}`)).status, 404);
    const [owner, name] = project.split("/");
    await api("POST", "/api/v1/projects", { body: { team: owner, name } });
    await form.send();
    await form.done();
    await api("DELETE", `/api/v1/projects/${project}`);
    for (const path of ["traces", "datasets", "evals", "queues", "runs", "settings", "playground"]) {
      await opened.go(`p/${project}/${path}`);
      await page.getByText("This project is not there").waitFor();
    }
    await page.getByRole("link", { name: "Go to the home page" }).click();
    await page.getByRole("heading", { name: "Projects" }).waitFor();
  });

  test("a trace: a note keeps its text, its page says that it is not there", async () => {
    const name = await makeProject();
    const data = new ImprovementProject(started, name);
    const [, call] = await data.addCalls(2);
    const { trace_id: trace } = await data.post("/calls/stream_query", { project_id: name, filter: { call_ids: [call] } });
    await opened.go(`p/${name}/traces/${trace}`);
    await button("Note").click();
    await page.getByRole("textbox", { name: /note/i }).fill(NOTE);
    await data.post("/calls/delete", { project_id: name, call_ids: [call] });
    await button("Save the note").click();
    await alert("This call was deleted meanwhile").waitFor();
    assert.equal(await page.getByRole("textbox", { name: /note/i }).inputValue(), NOTE);
    await page.reload();
    await page.getByText(/This trace is not there/).waitFor();
  });
});
