// The files of operate/ and the guide that goes with them, docs/operate.md: what they name is there, and what a machine
// without their programs can try of them is tried. The proxies have tests of their own (behind.slow.nginx.test.ts,
// behind.slow.caddy.test.ts), and so have the rights of a database user (surfaces/backup/owner.slow.test.ts).
import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { isRegistered } from "../src/connect/integrations/client/provider.ts";
import { providers } from "../src/connect/integrations/providers/providers.ts";
import { freePort } from "../src/platform/database/embedded/address.ts";
import { openStorage } from "../src/platform/outside/storage.ts";
import { readApps } from "../src/platform/settings/apps-config.ts";
import { CLOSE_SECONDS, variables } from "../src/platform/settings/config.ts";
import { EXIT } from "../src/platform/settings/config-error.ts";
import { service, testConfig } from "./world.ts";

const directory = mkdtempSync(join(tmpdir(), "svc-operate-"));
chmodSync(directory, 0o711);
// There is one, so that the worker makes none.
const backupDir = join(directory, "backups");
mkdirSync(backupDir);
writeFileSync(join(backupDir, `svc-${new Date().toISOString().slice(0, 19).replaceAll(":", "")}Z.backup`), "");
const metricsPort = await freePort();
const running = service({ roles: ["api", "worker", "realtime"], backupDir, metricsPort });
afterAll(() => rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }));
const { PATH, NODE_COMPILE_CACHE } = process.env;
const file = (name: string) => readFileSync(resolve("operate", name), "utf8");
const guide = readFileSync(resolve("docs/operate.md"), "utf8");

describe("what is asked of Prometheus", () => {
  /** Series -> its labels, as they are served. */
  async function served(): Promise<Map<string, Set<string>>> {
    await running.send("GET", "/me");
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    const found = new Map<string, Set<string>>([["up", new Set()]]);
    for (const [, name = "", labels = ""] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
      const known = found.get(name) ?? new Set(["instance", "job"]);
      for (const [, label = ""] of labels.matchAll(/(\w+)="/g)) known.add(label);
      found.set(name, known);
    }
    found.set("up", new Set(["instance", "job"]));
    return found;
  }
  const WORDS = new Set(["sum", "rate", "topk", "max", "by", "histogram_quantile"]);
  /** What an expression names that is not served. */
  function unknownIn(expression: string, known: Map<string, Set<string>>): string[] {
    const bare = expression.replaceAll(/"[^"]*"/g, '""').replaceAll(/\[\w+\]/g, "");
    const matched = [...bare.matchAll(/(\w+)\{([^}]*)\}/g)];
    const names = [...bare.replaceAll(/\{[^}]*\}|by \([^)]*\)/g, "").matchAll(/[a-z_]\w*/g)].map(([name]) => name);
    const series = names.filter((name) => !WORDS.has(name));
    const grouped = [...bare.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = ""]) => list.split(/,\s*/));
    return [
      ...series.filter((name) => !known.has(name)),
      ...matched.flatMap(([, name = "", list = ""]) =>
        [...list.matchAll(/(\w+)\s*[=!]/g)]
          .map(([, label = ""]) => label)
          .filter((label) => !known.get(name)?.has(label))
          .map((label) => `${name}{${label}}`),
      ),
      ...grouped.filter((label) => !series.some((name) => known.get(name)?.has(label))).map((label) => `by ${label}`),
    ];
  }

  test("by the dashboard is served under these names and labels", async () => {
    const known = await served();
    const { panels, templating } = JSON.parse(file("dashboard.json"));
    const targets: { expr: string; legendFormat: string }[] = panels.flatMap(
      (panel: { targets?: [] }) => panel.targets ?? [],
    );
    expect(targets.length).toBeGreaterThan(20);
    for (const { expr, legendFormat } of targets) {
      expect(unknownIn(expr, known), expr).toEqual([]);
      const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label);
      const left = expr.includes(" by (")
        ? [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list = ""]) => list.split(/,\s*/))
        : ["instance"];
      expect(left, legendFormat).toEqual(expect.arrayContaining(shown));
    }
    expect(templating.list[1].query).toBe("label_values(process_cpu_seconds_total, instance)");
    const ids = panels.map(({ id }: { id: number }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("by the alerts is served, and the guide explains each", async () => {
    const known = await served();
    const rules = [...file("alerts.yml").matchAll(/- alert: (\w+)\n +expr: (.*)\n/g)];
    expect(rules.length).toBe(file("alerts.yml").match(/- alert:/g)?.length);
    for (const [, , expression = ""] of rules) {
      expect(unknownIn(expression, known), expression).toEqual([]);
      const [series = ""] = /up|svc_\w+/.exec(expression) ?? [];
      expect(guide, series).toContain(series.replace(/_(count|bucket)$/, ""));
    }
  });

  test("a name or a label that is not served is noticed", async () => {
    const known = await served();
    expect(unknownIn('sum by (codes) (rate(svc_refused{code="x"}[5m]))', known)).toEqual([
      "svc_refused",
      "svc_refused{code}",
      "by codes",
    ]);
    expect(unknownIn('svc_refused_total{operation=~"x"}', known)).toEqual(["svc_refused_total{operation}"]);
  });
});

describe("the unit of systemd", () => {
  const unit = file("svc.service");
  const values = (name: string) =>
    [...unit.matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].map(([, value]) => value as string);

  test("ends as the service does: exit code 1 is not started again, and it has longer to stop than it takes", () => {
    expect(values("RestartPreventExitStatus")).toEqual([String(EXIT.configuration)]);
    expect(values("Restart")).toEqual(["on-failure"]);
    expect(Number(values("TimeoutStopSec")[0])).toBeGreaterThan(2 * CLOSE_SECONDS);
    // Signals to all processes would end the database before what is under way is answered.
    expect(values("KillMode")).toEqual(["mixed"]);
    const names = values("Environment").flatMap((line) => line.split(" ").map((pair) => pair.split("=")[0] as string));
    expect(names.filter((name) => !(name in variables))).toEqual(["NODE_ENV", "NODE_COMPILE_CACHE"]);
    expect(existsSync(resolve((values("ExecStart")[0] ?? "").split(" ")[1] ?? ""))).toBe(true);
  });

  test("is what systemd understands, where there is one to ask", () => {
    const analyze = ["/usr/bin/systemd-analyze", "/bin/systemd-analyze"].find(existsSync);
    const path = join(directory, "svc.service");
    writeFileSync(path, unit.replace("/usr/bin/node", process.execPath));
    // It ends with 1 and a line for each thing that it does not know; it takes no key twice for one that replaces.
    const said = analyze
      ? execFileSync(analyze, ["verify", "--man=no", path], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })
      : "";
    expect(said).toBe("");
    for (const line of unit.split("\n")) expect(line).toMatch(/^(?:|#.*|\[(?:Unit|Service|Install)\]|[A-Z]\w+=.*)$/);
  });
});

describe("the container", () => {
  const lines = file("Containerfile")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  const of = (word: string) =>
    lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
  const ignored = readFileSync(resolve(".containerignore"), "utf8")
    .split("\n")
    .filter((line) => line && !line.startsWith("#"));

  test("installs and builds as the guide says, leaves data and keys out, and does not run as root", () => {
    const install = /<!-- tried: install -->\n```sh\n([\s\S]*?)```/.exec(guide)?.[1]?.trim().split("\n").slice(1);
    expect(of("RUN").slice(0, 2)).toEqual(install);
    expect(ignored).toEqual(expect.arrayContaining(["data", ".git", "**/node_modules"]));
    expect(of("USER")).toEqual(["node"]);
    const set = of("ENV").flatMap((line) => line.split(" ").map((pair) => pair.split("=")[0] as string));
    expect(set.filter((name) => !(name in variables))).toEqual(["NODE_ENV"]);
  });

  test("has all that the service needs: what is copied starts, is healthy by its own check, and stops when it is told", async () => {
    const image = join(directory, "image");
    const skipped = /(?:^|\/)(?:node_modules|dist)$/;
    for (const line of of("COPY")) {
      const names = line.split(" ");
      const to = join(image, names.pop() as string);
      for (const name of names) {
        mkdirSync(to.endsWith("/") ? to : dirname(to), { recursive: true });
        const target = line.split(" ").length > 2 || to.endsWith("/") ? join(to, name.split("/").at(-1) as string) : to;
        cpSync(resolve(name), target, {
          recursive: true,
          filter: (path) => !skipped.test(path.slice(resolve(name).length)),
        });
      }
    }
    // What the two steps in between make: packages, and the pages.
    cpSync(resolve("web/dist"), join(image, "web/dist"), { recursive: true });
    linkPackages(image);
    const port = await freePort();
    const [command = "", ...args] = JSON.parse(of("CMD")[0] ?? "[]");
    expect(command).toBe("node");
    const set = Object.fromEntries(of("ENV").flatMap((line) => line.split(" ").map((pair) => pair.split("="))));
    const child = spawn(process.execPath, args, {
      cwd: image,
      env: {
        PATH,
        NODE_COMPILE_CACHE,
        ...set,
        DATA_DIR: join(directory, "data"),
        HOST: "127.0.0.1",
        PORT: String(port),
      },
      stdio: ["ignore", "ignore", "inherit"],
    });
    const exit = new Promise((done) => child.once("exit", done));
    const [, check = "[]"] = /CMD (\[.*\])$/.exec(of("HEALTHCHECK")[0] ?? "") ?? [];
    const [, ...checking] = JSON.parse(check.replace("8080", String(port)));
    const isHealthy = () =>
      new Promise<boolean>((done) => spawn(process.execPath, checking).once("exit", (code) => done(code === 0)));
    expect(await isHealthy()).toBe(false);
    const answers = () =>
      fetch(`http://127.0.0.1:${port}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    // Wait: a pause between two looks.
    while (child.exitCode === null && !(await answers())) await sleep(100);
    expect(await isHealthy()).toBe(true);
    const page = await fetch(`http://127.0.0.1:${port}/`);
    expect([page.status, page.headers.get("content-type")]).toEqual([200, expect.stringContaining("text/html")]);
    expect((await fetch(`http://127.0.0.1:${port}/docs`)).status).toBe(200);
    child.kill("SIGTERM");
    expect(await exit).toBe(0);
  });

  /** Packages of others are those of this clone; those of ours must be the copied ones. */
  function linkPackages(image: string) {
    for (const place of ["node_modules", "server/node_modules", "web/node_modules"].filter((name) =>
      existsSync(resolve(name)),
    )) {
      mkdirSync(join(image, place), { recursive: true });
      for (const name of readdirSync(resolve(place)).filter((each) => !["@svc", ".cache"].includes(each)))
        symlinkSync(resolve(place, name), join(image, place, name));
    }
    mkdirSync(join(image, "node_modules/@svc"));
    for (const name of readdirSync(resolve("node_modules/@svc")))
      symlinkSync(join("../..", name), join(image, "node_modules/@svc", name));
  }
});

test("every provider can be connected with what the guide's example has of it", () => {
  const path = join(directory, "apps.json");
  writeFileSync(path, /<!-- tried: apps -->\n```json\n([\s\S]*?)```/.exec(guide)?.[1] ?? "");
  const apps = readApps(path);
  expect(providers.filter((each) => !isRegistered(each, apps)).map(({ key }) => key)).toEqual([]);
  expect(Object.keys(apps).filter((key) => !providers.some((each) => each.key === key))).toEqual([]);
});

test("the guide's CORS rule allows every request that a browser sends to the bucket", () => {
  const [rule] = JSON.parse(/<!-- tried: cors -->\n```json\n([\s\S]*?)```/.exec(guide)?.[1] ?? "[]");
  const storageUrl = "s3://key:secret@s3.example.com/bucket";
  const grant = { method: "PUT", key: "a", seconds: 60, length: 1, type: "image/png", sha256: "0".repeat(64) } as const;
  const sent = Object.keys(openStorage({ ...testConfig, storageUrl }, () => "").uploadHeaders(grant));
  expect(sent.length).toBeGreaterThan(1);
  expect(rule.AllowedHeaders).toEqual(expect.arrayContaining(sent));
  expect(rule.AllowedMethods).toEqual(expect.arrayContaining(["GET", "PUT"]));
});

test("every command in the guide is one that a test runs", () => {
  const blocks = [...guide.matchAll(/(?:<!-- tried: (\w+) -->\n)?```(\w+)\n/g)].map(
    ([, name, language]) => `${language} ${name}`,
  );
  expect(blocks).toEqual([
    ...[
      "sh install",
      "sql rights",
      "sql extensions",
      "json cors",
      "sh rotate",
      "sh backup",
      "sh move",
      "json apps",
      "sh lost",
      "sh gone",
    ],
  ]);
  for (const [, path = ""] of guide.matchAll(/\]\(\.\.\/(operate\/[\w.]+)\)/g))
    expect(existsSync(resolve(path)), path).toBe(true);
});
