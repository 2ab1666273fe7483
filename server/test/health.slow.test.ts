// /readyz and the metrics report what this process cannot do right now: write to the database, or use its storage.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startWorker } from "../src/platform/background/jobs.ts";
import { openDatabase, type Pool } from "../src/platform/database/db.ts";
import { ConfigError } from "../src/platform/settings/config-error.ts";
import { createLog } from "../src/platform/wire/log.ts";
import { serve } from "../src/server.ts";
import { smallPicture } from "./pictures.ts";
import { type S3Server, startS3 } from "./s3.ts";
import { newKey, type Person, service, type TestService, testConfig, world } from "./world.ts";

const dataDir = mkdtempSync(join(tmpdir(), "svc-health-"));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));
/** The same probes and checks at shorter intervals: with the usual ones this file waits for 50 s. */
const probing = {
  writeProbe: { normalMs: 200, refusedMs: 100, holdMs: 1000 },
  storageCheck: { normalMs: 200, failingMs: 100 },
};
const readyz = async (running: TestService, query = "") => {
  const answer = await fetch(`${running.url}/readyz${query}`);
  return { status: answer.status, text: await answer.text() };
};

describe("writes", () => {
  const running = service({ dataDir, metricsPort: 0, roles: ["api", "worker"] }, probing);
  let owner: Person;
  let projectId: string;
  let admin: pg.Client;
  beforeAll(async () => {
    const { owner: created, workspaceId } = await world(running);
    owner = created;
    const body = { key: "HLT", name: "Health" };
    projectId = (await owner.call("POST", `/workspaces/${workspaceId}/projects`, { key: newKey(), body })).body.id;
    admin = new pg.Client(running.databaseUrl);
    await admin.connect();
  });
  afterAll(() => admin.end());
  const create = () =>
    owner.call("POST", `/projects/${projectId}/tasks`, { key: newKey(), body: { title: "x" }, once: true });
  const setReadOnly = async (value: "on" | "off") => {
    const name = new URL(running.databaseUrl).pathname.slice(1);
    await admin.query("begin read write");
    await admin.query(`alter database ${name} set default_transaction_read_only = ${value}`);
    await admin.query("commit");
    await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`,
    );
  };
  const metric = async () =>
    /^svc_writes_refused (\d)$/m.exec(
      await (await fetch(`http://127.0.0.1:${running.metricsPort}/metrics`)).text(),
    )?.[1];

  test("to a read-only database get 503 and are reported, while reads and /readyz go on", async () => {
    expect((await readyz(running, "?verbose")).text).toContain("writes: accepted");
    expect(await metric()).toBe("0");
    await setReadOnly("on");
    try {
      await expect.poll(async () => (await create()).status).toBe(503);
      await expect.poll(async () => (await readyz(running, "?role=write")).status).toBe(503);
      const refused = await create();
      expect([refused.status, refused.body.code, refused.headers.get("retry-after")]).toEqual([503, "overloaded", "1"]);
      expect((await owner.call("GET", `/projects/${projectId}`)).status).toBe(200);
      await expect.poll(() => readyz(running)).toEqual({ status: 200, text: "ready" });
      expect((await readyz(running, "?verbose")).text).toContain("writes refused: the database is read-only");
      expect(await metric()).toBe("1");
    } finally {
      await setReadOnly("off");
    }
    await expect.poll(async () => (await readyz(running, "?role=write")).status).toBe(200);
    await expect.poll(async () => (await create()).status).toBe(201);
    expect(await metric()).toBe("0");
  });

  test("to a read-only database are noticed by the worker of an idle service, which is then no reason for 503", async () => {
    const noted: unknown[] = [];
    const failed = (error: unknown) => void noted.push((error as { code?: string }).code);
    const worker = await startWorker(running.databaseUrl, { jobs: { idle: () => {} }, failed }, createLog("silent"));
    await expect.poll(() => worker.alive()).toBe(true);
    await setReadOnly("on");
    try {
      await expect.poll(() => noted).toContain("25006");
      expect(await worker.alive()).toBe(false);
    } finally {
      await setReadOnly("off");
    }
    await expect.poll(() => worker.alive()).toBe(true);
    await worker.stop();
  });

  test("that find no room on the disk are reported at once", async () => {
    await admin.query(`create function no_room() returns trigger language plpgsql as
      $$ begin raise exception 'no room' using errcode = '53100'; end $$`);
    await admin.query("create trigger no_room before insert on tasks execute function no_room()");
    try {
      const both = async () => [(await create()).status, (await readyz(running, "?role=write")).status];
      await expect.poll(both).toEqual([503, 503]);
      await expect.poll(async () => (await readyz(running)).status).toBe(200);
    } finally {
      await admin.query("drop function no_room() cascade");
    }
    await expect.poll(async () => (await readyz(running, "?role=write")).status).toBe(200);
  });

  test("that were refused for want of room stay reported while the probe finds room elsewhere", async () => {
    const database = openDatabase(running.databaseUrl);
    let probes = 0;
    const pool = { use: ((work) => database.writer.use(work).finally(() => probes++)) as Pool["use"] };
    const probeUntil = async (holdMs: number) => {
      const end = database.writes.probe(pool, { normalMs: 10, refusedMs: 10, holdMs });
      const until = probes + 4;
      await expect.poll(() => probes).toBeGreaterThan(until);
      end();
    };
    try {
      database.writes.note({ code: "53100" });
      await probeUntil(3_600_000);
      expect(database.writes.refusal()).toBe("the database's disk is full");
      await probeUntil(0);
      expect(database.writes.refusal()).toBeNull();
    } finally {
      await database.end();
    }
  });

  test("are probed with a query that needs the database's disk", async () => {
    await admin.query("set work_mem = '64kB'");
    const { rows } = await admin.query(
      "explain (analyze, format json) select count(distinct md5(n::text)) from generate_series(1, 10000) n",
    );
    expect(JSON.stringify(rows)).toMatch(/"Temp Written Blocks":[1-9]|"Sort Space Type":"Disk"/);
  });

  test("/metrics is the only address of its port", async () => {
    const at = (path: string, init = {}) =>
      fetch(`http://127.0.0.1:${running.metricsPort}${path}`, init).then((it) => it.status);
    expect([await at("/metrics"), await at("/metrics?x=1"), await at("/metrics", { method: "HEAD" })]).toEqual([
      200, 200, 200,
    ]);
    expect([await at("/"), await at("/readyz"), await at("/metrics/x"), await at("/metricsx")]).toEqual([
      404, 404, 404, 404,
    ]);
    expect(await at("/metrics", { method: "POST" })).toBe(405);
  });
});

describe("roles", () => {
  const running = service({ dataDir, roles: ["api"] });
  const background = service({ dataDir, roles: ["worker"] });

  test("a process is ready for the roles that it has, and for no other", async () => {
    const statuses = async (of: TestService) =>
      Promise.all(
        ["api", "worker", "realtime", "write", "storage"].map(
          async (role) => (await readyz(of, `?role=${role}`)).status,
        ),
      );
    // A busy machine may answer too late for readiness, so each expectation is polled.
    await expect.poll(() => statuses(running)).toEqual([200, 503, 503, 200, 200]);
    await expect.poll(() => statuses(background)).toEqual([503, 200, 503, 200, 200]);
    expect((await readyz(background, "?role=api&verbose")).text).toContain(
      "ROLES of this process does not contain api",
    );
    expect((await readyz(running, "?role=writes")).status).toBe(400);
  });
});

describe("an S3 service", async () => {
  let s3: S3Server = await startS3();
  const { port } = new URL(s3.origin);
  const address = s3.url;
  const running = service({ storageUrl: address }, probing);
  afterAll(() => s3.close());
  const start = (storageUrl: string) =>
    serve({ ...testConfig, dataDir, storageUrl }, running.databaseUrl, { log: createLog("silent"), ...probing });

  test("that refuses the key, or has no such bucket, ends the start with one line", async () => {
    const wrongKey = address.replace("TESTKEY", "OTHERKEY");
    const wrongSecret = address.replace("test%2Fsecret", "wrong");
    const noBucket = address.replace("/objects?", "/others?");
    const wrongRegion = address.replace("eu-test-1", "us-east-1");
    for (const wrong of [wrongKey, wrongSecret, noBucket, wrongRegion]) {
      expect(wrong).not.toBe(address);
      const error = await start(wrong).then(
        (started) => started.close(),
        (thrown) => thrown,
      );
      expect(error, wrong).toBeInstanceOf(ConfigError);
      expect((error as ConfigError).lines).toEqual([
        expect.stringMatching(/^STORAGE_URL: the S3 service answered 40[34] \w+; check key, secret, bucket and region/),
      ]);
      expect((error as ConfigError).lines[0]).not.toContain("secret+with");
    }
    expect([...s3.objects.keys()], "the check leaves nothing").toEqual([]);
  });

  test("that cannot be reached does not end the start: uploads get 503 until it is back", async () => {
    const { owner } = await world(running);
    const upload = async () =>
      owner.call("POST", "/me/profile-picture", {
        raw: await smallPicture(),
        headers: { "content-type": "image/png" },
        once: true,
      });
    expect((await upload()).status).toBe(200);
    await s3.close();
    const second = await start(address);
    try {
      const refused = await upload();
      expect([refused.status, refused.body.code, refused.headers.get("retry-after")]).toEqual([503, "overloaded", "5"]);
      for (const url of [running.url, second.url]) {
        const ask = async (query: string) => (await fetch(`${url}/readyz${query}`)).status;
        await expect.poll(() => ask("?role=storage")).toBe(503);
        await expect.poll(async () => [await ask(""), await ask("?role=write")]).toEqual([200, 200]);
        expect(await (await fetch(`${url}/readyz?verbose`)).text()).toContain(
          "storage failing: the S3 service does not answer",
        );
      }
    } finally {
      s3 = await startS3(Number(port));
    }
    await expect.poll(async () => (await readyz(running, "?role=storage")).status).toBe(200);
    expect((await upload()).status).toBe(200);
    await second.close();
  });

  test("that refuses writes alone fails until a write is accepted again", async () => {
    const { owner } = await world(running);
    const raw = await smallPicture();
    const upload = () =>
      owner.call("POST", "/me/profile-picture", { raw, headers: { "content-type": "image/png" }, once: true });
    let checks = 0;
    s3.before = async (method, key) => void (method === "PUT" && key === "svc-probe" && checks++);
    s3.denied.add("PUT");
    try {
      expect((await upload()).status).toBe(503);
      await expect.poll(() => checks).toBeGreaterThan(2);
      expect((await readyz(running, "?role=storage&verbose")).text).toContain(
        "storage failing: the S3 service answered 403 AccessDenied",
      );
    } finally {
      s3.denied.clear();
      s3.before = null;
    }
    await expect.poll(async () => (await readyz(running, "?role=storage")).status).toBe(200);
    expect((await upload()).status).toBe(200);
  });

  test("that refuses the key later is a failing storage and not a fault of ours", async () => {
    const { owner } = await world(running);
    const raw = await smallPicture();
    s3.broken = 403;
    try {
      const refused = await owner.call("POST", "/me/profile-picture", {
        raw,
        headers: { "content-type": "image/png" },
        once: true,
      });
      expect(refused.status).toBe(503);
      expect((await readyz(running, "?role=storage&verbose")).text).toContain(
        "storage failing: the S3 service answered 403",
      );
    } finally {
      s3.broken = null;
    }
  });
});
