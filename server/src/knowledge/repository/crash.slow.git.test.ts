// A worker that is killed in the middle of a run leaves nothing doubled and nothing lost, wherever it was; and what a
// run takes of memory.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, afterEach, expect, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { type Connected, repositories } from "../../../test/repository.ts";
import { testKeys } from "../../../test/world.ts";

const { server, running, connect } = await repositories({});
const dataDir = mkdtempSync(join(tmpdir(), "svc-repository-"));
const workers: ChildProcess[] = [];
/** A worker, and the most memory that it has told of. */
function worker() {
  const KEY = testKeys[0]?.key.toString("hex") ?? "";
  const env = { ...process.env, DATABASE_URL: running.databaseUrl, DATA_DIR: dataDir, GIT_ORIGIN: server.origin, KEY };
  // V8 gives the young generation up to 100 MB, the more the busier the machine is: that is no part of a run.
  const execArgv = [...process.execArgv, "--max-semi-space-size=4"];
  const child = fork(new URL("../../../test/repository-worker.ts", import.meta.url), { env, execArgv });
  const told = { child, peak: 0 };
  child.on("message", (message: { peak?: number }) => {
    told.peak = message.peak ?? told.peak;
  });
  workers.push(child);
  return told;
}
async function kill(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}
async function asOwner(...statements: string[]) {
  const owner = new pg.Client(running.databaseUrl);
  await owner.connect();
  for (const statement of statements) await owner.query(statement);
  await owner.end();
}
/** As if the time had passed after which a silent worker counts as dead. */
const forgetDead = () =>
  asOwner(
    ...["jobs", "job_queues"].map(
      (table) =>
        `update graphile_worker._private_${table} set locked_at = now() - interval '31 seconds'
          where locked_at is not null`,
    ),
  );
/** The tenth Document lasts longer than any statement may. */
const heldUp = () =>
  asOwner(
    `create function held_up() returns trigger language plpgsql as $$ begin
       -- // Wait: until its process is killed.
       if (select count(*) from documents) > 8 then perform pg_sleep(600); end if;
       return new;
     end $$`,
    "create trigger held_up before insert on documents for each row execute function held_up()",
  );
const asEver = () => asOwner("drop trigger held_up on documents", "drop function held_up");
afterEach(async () => {
  server.meanwhile = null;
  server.afterwards = null;
  await Promise.all(workers.splice(0).map(kill));
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

const FILES = 30;
/** Files that are no Documents yet, and Documents that are no files yet. */
async function bothSides() {
  const place = await connect();
  for (let at = 0; at < FILES; at++) place.clone.write(`f${at % 3}/file-${at}.md`, `File ${at}\n`);
  place.clone.push();
  for (let at = 0; at < 3; at++) await place.document(`Own ${at}`, {}, `Own ${at}\n`);
  const count = async () => (await place.titles()).length;
  return { place, count };
}
async function expectWhole({ place, count }: Awaited<ReturnType<typeof bothSides>>) {
  const titles = await place.titles();
  expect(await count()).toBe(FILES + 3 + 3);
  expect(new Set(titles).size).toBe(titles.length);
  const files = place.clone.files();
  expect(files).toHaveLength(FILES + 3);
  const ids = files.map((path) => /^id: (.*)$/m.exec(place.clone.read(path))?.[1]);
  expect(new Set(ids).size).toBe(FILES + 3);
  const commits = place.clone.commits();
  expect(await place.run()).toMatchObject({ state: "succeeded", counts: { documents_created: 0, files_written: 0 } });
  expect(place.clone.commits()).toBe(commits);
}
const goOn = async (place: Connected) => {
  await forgetDead();
  worker();
  expect(await place.run()).toMatchObject({ state: "succeeded", error_code: null });
};

test("killed while Documents come into being, it goes on with the next one", async () => {
  const both = await bothSides();
  await heldUp();
  const { child } = worker();
  const waiting = both.place.run();
  await eventually(async () => expect(await both.count()).toBeGreaterThan(8), 5);
  await kill(child);
  await asEver();
  expect(await both.count()).toBeLessThan(FILES + 6);
  await goOn(both.place);
  await waiting;
  await expectWhole(both);
});

test.each(["meanwhile", "afterwards"] as const)(
  "killed around the push (%s), nothing is made or pushed twice",
  async (moment) => {
    const both = await bothSides();
    const { child } = worker();
    const killed = Promise.withResolvers<void>();
    server[moment] = async (line) => {
      if (!line.includes("POST") || !line.includes("git-receive-pack")) return;
      server[moment] = null;
      await kill(child);
      killed.resolve();
    };
    const waiting = both.place.run();
    await killed.promise;
    expect(both.place.clone.commits()).toBe(moment === "afterwards" ? 2 : 1);
    await goOn(both.place);
    await waiting;
    expect(both.place.clone.commits()).toBe(2);
    await expectWhole(both);
  },
);

// Of 5,000 it is measured: npm run bench -- --only documents --what sync.
test("a repository of 1,000 files is synchronised, first and again, within 150 MB", async () => {
  const place = await connect();
  const words = Array.from({ length: 500 }, (_, at) => `word${(at * 7919) % 9973}`);
  for (let at = 0; at < 1000; at++) {
    const text = Array.from({ length: 12 }, (_, line) =>
      Array.from({ length: 40 }, (_, n) => words[(at * 31 + line * 17 + n * n) % words.length]).join(" "),
    );
    place.clone.write(`d${at % 10}/e${at % 7}/file-${at}.md`, `# File ${at}\n\n${text.join("\n\n")}\n`);
  }
  place.clone.push();
  const told = worker();
  await eventually(() => expect(told.peak).toBeGreaterThan(0));
  const idle = told.peak;
  expect(await place.run()).toMatchObject({
    state: "succeeded",
    counts: { documents_created: 1000 + 10 + 70, files_written: 1000 },
  });
  place.clone.pull();
  place.clone.write("d1/new.md", "New\n");
  place.clone.push();
  expect(await place.run()).toMatchObject({ state: "succeeded", counts: { documents_created: 1, files_written: 1 } });
  // Beyond what the process has when it does nothing.
  expect(told.peak - idle).toBeLessThan(150e6);
});
