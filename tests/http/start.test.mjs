// Start, refused start, stop and restart of the server; commands for a running server.

import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { expectUnauthenticated } from "./support/expect.mjs";
import { freshName, makeTeam, makeUser } from "./support/people.mjs";
import { filesIn, makeFolder, removeFolder, runSpindle } from "./support/program.mjs";
import { ADMIN_KEY, startServer, withServer } from "./support/server.mjs";

const GENERATES_KEY = { SPINDLE_ADMIN_API_KEY: undefined };

function permissions(path) {
  return statSync(path).mode & 0o777;
}

/** Runs `spindle serve` and expects it to refuse to start. */
async function refusedStart(args, { env = {}, listen = "127.0.0.1:0" } = {}) {
  const folder = makeFolder();
  try {
    const ended = await runSpindle(
      ["serve", "--listen", listen, "--data-dir", join(folder, "data"), ...args],
      { env },
    );
    assert.notEqual(ended.code, 0, ended.stderr);
    assert.notEqual(ended.code, null, `ended by ${ended.signal}`);
    return ended.stderr;
  } finally {
    removeFolder(folder);
  }
}

describe("the first start on an empty folder", () => {
  let server;
  before(async () => (server = await startServer({ env: GENERATES_KEY })));
  after(() => server.dispose());

  test("gives a healthy server", async () => {
    const answer = await server.api("GET", "/health", { key: null });
    assert.equal(answer.status, 200);
    assert.equal(answer.text, '{"status":"ok"}');
  });

  test("generates a valid key of at least 20 characters", async () => {
    assert.ok(server.adminKey.length >= 20);
    const answer = await server.api("GET", "/api/v1/me");
    assert.equal(answer.status, 200);
    assert.equal(answer.json.organization_admin, true);
  });

  test("prints the key", () => {
    assert.ok((server.program.stdout + server.logs).includes(server.adminKey));
  });

  test("prints it once; a second start names the file", async () => {
    await withServer({ env: GENERATES_KEY }, async (first) => {
      await first.stop();
      const file = join(first.dataDir, "admin-api-key");
      assert.ok(first.program.stdout.includes(file));
      const second = await startServer({ env: GENERATES_KEY, dataDir: first.dataDir });
      try {
        assert.equal(second.adminKey, first.adminKey);
        const ended = await second.stop();
        assert.ok(!(ended.stdout + ended.stderr).includes(first.adminKey));
        assert.ok(ended.stdout.includes(file), ended.stdout);
      } finally {
        await second.kill();
      }
    });
  });

  test("protects the folder and the key file from other users", () => {
    assert.equal(permissions(server.dataDir), 0o700);
    assert.equal(permissions(join(server.dataDir, "admin-api-key")), 0o600);
    for (const name of readdirSync(server.dataDir)) {
      assert.equal(permissions(join(server.dataDir, name)) & 0o077, 0, name);
    }
  });

  test("refuses a second server on the folder, and names the process that uses it", async () => {
    const ended = await server.cli("serve", "--listen", "127.0.0.1:0");
    assert.ok(ended.code > 0, ended.stderr);
    assert.match(ended.stderr, /in use by another Spindle server/);
    assert.ok(ended.stderr.includes(server.dataDir));
    assert.ok(ended.stderr.includes(String(server.program.pid)));
    assert.equal((await server.api("GET", "/api/v1/me")).status, 200);
  });

  test("reports a port that is in use", async () => {
    const { host, port } = new URL(server.url);
    const message = await refusedStart([], { listen: host });
    assert.ok(message.includes(port), message);
    assert.match(message, /in use/i);
  });
});

describe("stopping and starting again", () => {
  for (const signal of ["SIGTERM", "SIGINT"]) {
    test(`${signal} ends the server with status 0`, async () => {
      await withServer({}, async (server) => {
        server.program.signal(signal);
        const ended = await server.program.ended;
        assert.equal(ended.code, 0, ended.stderr);
      });
    });
  }

  test("users, teams and keys survive a restart", async () => {
    await withServer({ env: GENERATES_KEY }, async (first) => {
      const user = await makeUser(first);
      const team = await makeTeam(first, { admin: user.username });
      await first.stop();

      const second = await startServer({ env: GENERATES_KEY, dataDir: first.dataDir });
      try {
        assert.equal(second.adminKey, first.adminKey);
        const me = await second.api("GET", "/api/v1/me", { key: user.key });
        assert.equal(me.status, 200);
        assert.equal(me.json.id, user.id);
        assert.deepEqual(me.json.memberships, [{ team: team.name, role: "ADMIN", pending: false }]);
        const again = await second.api("GET", `/api/v1/teams/${team.name}`, { key: user.key });
        assert.deepEqual(again.json, team);
      } finally {
        await second.dispose();
      }
    });
  });

  test("a new bootstrap key in the environment replaces the old one", async () => {
    await withServer({}, async (first) => {
      const { id } = (await first.api("GET", "/api/v1/me")).json;
      await first.stop();
      const env = { SPINDLE_ADMIN_API_KEY: "another-bootstrap-key-987654321" };
      const second = await startServer({ env, dataDir: first.dataDir });
      try {
        assert.equal((await second.api("GET", "/api/v1/me")).json.id, id);
        expectUnauthenticated(await second.api("GET", "/api/v1/me", { key: ADMIN_KEY }));
      } finally {
        await second.dispose();
      }
    });
  });
});

describe("the bootstrap key of the environment", () => {
  test("works and is not written anywhere", async () => {
    await withServer({}, async (server) => {
      assert.equal((await server.api("GET", "/api/v1/me")).status, 200);
      assert.ok(!existsSync(join(server.dataDir, "admin-api-key")));
      await server.stop();
      assert.ok(!(server.program.stdout + server.logs).includes(ADMIN_KEY));
      for (const name of filesIn(server.dataDir)) {
        const content = readFileSync(join(server.dataDir, name));
        assert.ok(!content.includes(ADMIN_KEY), `${name} holds the key`);
      }
    });
  });

  test("is rejected if it has fewer than 20 characters", async () => {
    const env = { SPINDLE_ADMIN_API_KEY: "nineteen-characters" };
    const message = await refusedStart([], { env });
    assert.match(message, /SPINDLE_ADMIN_API_KEY/);
    assert.match(message, /20/);
    assert.ok(!message.includes("nineteen-characters"), "the message must not contain the secret");
  });
});

describe("settings", () => {
  let folder;
  before(() => (folder = makeFolder()));
  after(() => removeFolder(folder));

  function configFile(name, text) {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  }

  test("are read from a file", async () => {
    const path = configFile("small.toml", '[limits]\nmanagement_body = "2KiB"\n');
    await withServer({ args: ["--config", path] }, async (server) => {
      const name = freshName("team");
      const body = `{"name":"${name}"}`;
      const fits = await server.api("POST", "/api/v1/teams", { body: body.padEnd(2048) });
      assert.equal(fits.status, 201);
      const over = await server.api("POST", "/api/v1/teams", { body: body.padEnd(2049) });
      assert.equal(over.status, 413);
    });
  });

  test("that are unknown prevent the start, with the nearest name", async () => {
    const path = configFile("typo.toml", '[server]\nlisten = "127.0.0.1:0"\nacces_log = false\n');
    const message = await refusedStart(["--config", path]);
    assert.match(message, /server\.acces_log/);
    assert.match(message, /did you mean .*server\.access_log/);
  });

  test("variables that Kubernetes injects for a service are ignored with a warning", async () => {
    const env = { SPINDLE_PORT: "tcp://10.0.0.7:8080", SPINDLE_SERVICE_HOST: "10.0.0.7", SPINDLE_SERVICE_PORT: "8080" };
    await withServer({ env }, async (server) => {
      assert.equal((await server.api("GET", "/api/v1/me")).status, 200);
      for (const name of Object.keys(env)) assert.match(server.logs, new RegExp(`warning: ${name}: ignored`));
    });
    assert.match(await refusedStart([], { env: { SPINDLE_PORT: "8080" } }), /SPINDLE_PORT: unknown environment variable/);
  });

  test("unknown flags prevent the start, with the nearest name", async () => {
    assert.match(await refusedStart(["--data-dri", "x"]), /did you mean --data-dir/);
  });

  test("config show prints each value with its origin and hides secrets", async () => {
    const env = { SPINDLE_ADMIN_API_KEY: ADMIN_KEY, SPINDLE_LOG_LEVEL: "warning" };
    const ended = await runSpindle(["config", "show", "--io-threads", "3"], { env });
    assert.equal(ended.code, 0, ended.stderr);
    assert.match(ended.stdout, /io_threads = 3.*--io-threads/);
    assert.match(ended.stdout, /level = "warning".*SPINDLE_LOG_LEVEL/);
    assert.ok(!ended.stdout.includes(ADMIN_KEY));
  });

  test("config show --json prints JSON", async () => {
    const ended = await runSpindle(["config", "show", "--json"]);
    assert.equal(ended.code, 0, ended.stderr);
    assert.equal(typeof JSON.parse(ended.stdout), "object");
  });

  test("config check accepts valid settings and lists all errors", async () => {
    const good = configFile("good.toml", '[log]\nlevel = "error"\n');
    assert.equal((await runSpindle(["config", "check", "--config", good])).code, 0);
    const bad = configFile("bad.toml", '[log]\nlevel = "loud"\n[limits]\nbody = "many"\n');
    const ended = await runSpindle(["config", "check", "--config", bad]);
    assert.ok(ended.code > 0);
    assert.match(ended.stderr, /log\.level/);
    assert.match(ended.stderr, /limits\.body/);
  });
});

describe("small commands", () => {
  test("version prints the release", async () => {
    const ended = await runSpindle(["version"]);
    assert.equal(ended.code, 0);
    assert.equal(ended.stdout, "spindle 0.1.0\n");
  });

  test("an unknown command exits with status 2 and names the nearest one", async () => {
    const ended = await runSpindle(["sevre"]);
    assert.equal(ended.code, 2);
    assert.match(ended.stderr, /did you mean `spindle serve`/);
  });

  test("doctor succeeds on a machine that can run the server", async () => {
    const folder = makeFolder();
    try {
      const args = ["doctor", "--json", "--listen", "127.0.0.1:0", "--data-dir", join(folder, "d")];
      const ended = await runSpindle(args);
      const report = JSON.parse(ended.stdout);
      assert.equal(ended.code, 0, ended.stdout);
      assert.equal(report.ok, true);
      assert.ok(report.checks.length > 3);
    } finally {
      removeFolder(folder);
    }
  });

  test("doctor reports a data folder that is a file, with advice", async () => {
    const folder = makeFolder();
    try {
      const file = join(folder, "file");
      writeFileSync(file, "");
      const ended = await runSpindle(["doctor", "--json", "--data-dir", file]);
      assert.equal(ended.code, 1);
      const failures = JSON.parse(ended.stdout).checks.filter((check) => check.verdict === "failure");
      assert.ok(failures.some((failure) => failure.message.includes(file) && failure.advice !== ""));
    } finally {
      removeFolder(folder);
    }
  });
});

describe("commands with a running server", () => {
  let server;
  before(async () => (server = await startServer()));
  after(() => server.dispose());

  async function succeed(...args) {
    const ended = await server.cli(...args);
    assert.equal(ended.code, 0, ended.stderr);
    return ended.stdout;
  }

  async function json(...args) {
    return JSON.parse(await succeed(...args, "--json"));
  }

  test("a new user and key work immediately, and a revoked key is rejected immediately", async () => {
    const username = freshName("cli");
    const email = `${username}@example.test`;
    const user = await json("user", "create", username, "--email", email, "--name", "C. L.");
    assert.equal(user.email, email);
    assert.equal(user.organization_admin, false);
    const key = await json("key", "create", "--user", username, "--name", "laptop");
    const me = await server.api("GET", "/api/v1/me", { key: key.key });
    assert.equal(me.status, 200);
    assert.equal(me.json.username, username);
    assert.equal(me.json.name, "C. L.");
    assert.equal(me.json.organization_admin, false);

    const listing = await succeed("key", "list", "--user", username);
    assert.match(listing, new RegExp(key.id));
    assert.ok(!listing.includes(key.key));

    await succeed("key", "revoke", key.id);
    expectUnauthenticated(await server.api("GET", "/api/v1/me", { key: key.key }));
  });

  test("an organization admin can be created", async () => {
    const username = freshName("root");
    await succeed("user", "create", username, "--email", `${username}@example.test`, "--admin");
    const { key } = await json("key", "create", "--user", username, "--name", "k");
    assert.equal((await server.api("GET", "/api/v1/users", { key })).status, 200);
  });

  test("an expired key is rejected", async () => {
    const user = await makeUser(server);
    const args = ["key", "create", "--user", user.username, "--name", "short", "--expires", "1s"];
    const { key } = await json(...args);
    let answer;
    do answer = await server.api("GET", "/api/v1/me", { key });
    while (answer.status === 200);
    expectUnauthenticated(answer);
  });

  test("a team and its members are visible over HTTP", async () => {
    const user = await makeUser(server);
    const name = freshName("cli-team");
    await succeed("team", "create", name);
    await succeed("team", "add-member", name, user.username, "--role", "viewer");
    const me = await server.api("GET", "/api/v1/me", { key: user.key });
    assert.deepEqual(me.json.memberships, [{ team: name, role: "VIEWER", pending: false }]);
    assert.match(await succeed("team", "members", name), new RegExp(user.username));

    await succeed("team", "remove-member", name, user.username);
    assert.equal((await server.api("GET", `/api/v1/teams/${name}`, { key: user.key })).status, 404);
    await succeed("team", "delete", name, "--force");
    assert.equal((await server.api("GET", `/api/v1/teams/${name}`)).status, 404);
    assert.ok(!(await succeed("team", "list")).includes(name));
  });

  test("errors are printed, with a status other than 0", async () => {
    const { username } = await makeUser(server);
    const attempts = [
      [["user", "create", username, "--email", "new@example.test"], /exists|taken/],
      [["user", "create", "no spaces", "--email", "new@example.test"], /user name/i],
      [["key", "create", "--user", "nobody-of-that-name", "--name", "k"], /not found|no such|nobody/i],
      [["key", "revoke", "key_00000000000000000000000000"], /not found|no such/i],
      [["team", "members", "no-such-team"], /not found|no such/i],
    ];
    for (const [args, message] of attempts) {
      const ended = await server.cli(...args);
      assert.ok(ended.code > 0, args.join(" "));
      assert.match(ended.stderr, message);
    }
  });
});
