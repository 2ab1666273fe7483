import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { defaultRates } from "../wire/limits/rate-limit.ts";
import { listeningOn, readConfig, variables } from "./config.ts";
import { ConfigError } from "./config-error.ts";

const directory = mkdtempSync(join(tmpdir(), "svc-config-"));
afterAll(() => rmSync(directory, { recursive: true }));

const key = (byte: number) => Buffer.alloc(32, byte).toString("base64url");
const SECRET_KEYS = `now:${key(1)},old:${key(2)}`;

function faults(env: NodeJS.ProcessEnv): readonly string[] {
  try {
    readConfig({ SECRET_KEYS, ...env });
  } catch (error) {
    if (error instanceof ConfigError) return error.lines;
    throw error;
  }
  return [];
}

describe("defaults", () => {
  test("without any variable set, everything has a value", () => {
    expect(readConfig({ SECRET_KEYS })).toMatchObject({
      port: 8080,
      host: "127.0.0.1",
      publicUrl: "http://localhost:8080",
      databaseUrl: null,
      databaseWait: 60,
      closeSeconds: 10,
      dataDir: resolve("data"),
      roles: ["api", "worker", "realtime"],
      rateLimits: defaultRates,
      logLevel: "info",
      metricsPort: null,
    });
  });

  test("an empty variable counts as absent", () => {
    expect(readConfig({ SECRET_KEYS, PORT: "", DATABASE_URL: " " })).toMatchObject({ port: 8080, databaseUrl: null });
  });

  test("the public address follows the port, also one that is known only after listening", () => {
    expect(readConfig({ SECRET_KEYS, PORT: "9000" }).publicUrl).toBe("http://localhost:9000");
    expect(listeningOn(readConfig({ SECRET_KEYS, PORT: "0" }), 4711)).toMatchObject({
      port: 4711,
      publicUrl: "http://localhost:4711",
    });
  });

  test("a public address that is set stays as it is", () => {
    const config = readConfig({ SECRET_KEYS, PORT: "0", PUBLIC_URL: "https://svc.example.com/" });
    expect(listeningOn(config, 4711).publicUrl).toBe("https://svc.example.com");
  });
});

describe("faults", () => {
  test.each([
    ["PORT", "http"],
    ["PORT", "65536"],
    ["PORT", "-1"],
    ["HOST", "not a host"],
    ["PUBLIC_URL", "svc.example.com"],
    ["PUBLIC_URL", "https://svc.example.com/path"],
    ["PUBLIC_URL", "ftp://svc.example.com"],
    ["TRUST_PROXY", "proxy"],
    ["TRUST_PROXY", "0"],
    ["DATABASE_URL", "mysql://localhost/svc"],
    ["DATABASE_WAIT_SECONDS", "3601"],
    ["CLOSE_SECONDS", "0"],
    ["CLOSE_SECONDS", "3601"],
    ["ROLES", "api,cook"],
    ["SECRET_KEYS", "k1:short"],
    ["SECRET_KEYS", `${SECRET_KEYS},now:${key(3)}`],
    ["RATE_LIMITS", "maybe"],
    ["LOG_LEVEL", "loud"],
    ["METRICS_PORT", "0"],
    ["METRICS_PORT", "8080"],
  ])("%s=%s is one line that names the variable and says what to do", (name, value) => {
    const lines = faults({ [name]: value });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(new RegExp(`^${name}: .+`));
    expect(lines[0]).not.toContain("\n");
  });

  test("all faults are reported together", () => {
    expect(faults({ PORT: "x", ROLES: "y", LOG_LEVEL: "z" })).toHaveLength(3);
  });

  test("a password or a key never shows in a fault", () => {
    expect(faults({ DATABASE_URL: "user:hunter2@host" }).join()).not.toContain("hunter2");
    expect(faults({ SECRET_KEYS: "k1:hunter2" }).join()).not.toContain("hunter2");
  });
});

describe("secret keys", () => {
  test("the first signs, the others follow", () => {
    expect(readConfig({ SECRET_KEYS }).secretKeys).toEqual([
      { id: "now", key: Buffer.alloc(32, 1) },
      { id: "old", key: Buffer.alloc(32, 2) },
    ]);
  });

  test("without them one is made, private to its user, and kept", () => {
    const DATA_DIR = join(directory, "fresh", "data");
    const first = readConfig({ DATA_DIR }).secretKeys;
    expect(first.map(({ key }) => key.length)).toEqual([32]);
    expect(statSync(join(DATA_DIR, "keys")).mode & 0o777).toBe(0o600);
    expect(readConfig({ DATA_DIR }).secretKeys).toEqual(first);
  });

  test("a wrong variable leaves nothing behind", () => {
    const DATA_DIR = join(directory, "untouched");
    expect(() => readConfig({ DATA_DIR, PORT: "x" })).toThrow(ConfigError);
    expect(existsSync(DATA_DIR)).toBe(false);
  });

  test("a damaged key file is refused and not replaced", () => {
    writeFileSync(join(directory, "keys"), "k1:dam");
    expect(() => readConfig({ DATA_DIR: directory })).toThrow(/damaged key file/);
    expect(readFileSync(join(directory, "keys"), "utf8")).toBe("k1:dam");
  });

  test.each(["/dev/null/data", "/proc/data"])("a directory that cannot be made is one line (%s)", (DATA_DIR) => {
    expect(() => readConfig({ DATA_DIR })).toThrow(/^DATA_DIR: .*cannot be written.*set it to/);
  });
});

const page = resolve("docs/settings.md");
test.skipIf(!existsSync(page))("docs/settings.md lists these variables", () => {
  const table = Object.entries(variables).map(([name, { default: fallback, meaning }]) => {
    return `| \`${name}\` | ${fallback} | ${meaning} |`;
  });
  expect(readFileSync(page, "utf8")).toContain(table.join("\n"));
});

describe("a model", () => {
  test("has the address of its provider unless another is set, and needs a name", () => {
    const read = (env: NodeJS.ProcessEnv) => readConfig({ SECRET_KEYS, ...env }).model;
    expect(read({})).toBeNull();
    expect(read({ MODEL_PROVIDER: "anthropic", MODEL_NAME: "m" })).toEqual({
      provider: "anthropic",
      url: "https://api.anthropic.com/v1",
      name: "m",
      key: null,
    });
    const own = { MODEL_PROVIDER: "openai", MODEL_URL: "http://127.0.0.1:11434/v1/", MODEL_NAME: "m", MODEL_KEY: "k" };
    expect(read(own)).toMatchObject({ url: "http://127.0.0.1:11434/v1", key: "k" });
    expect(faults({ MODEL_PROVIDER: "openai" })).toEqual([
      "MODEL_NAME: is not set; MODEL_PROVIDER needs the name of a model",
    ]);
    expect(faults({ MODEL_PROVIDER: "magic", MODEL_NAME: "m" }).join()).toContain("MODEL_PROVIDER");
  });

  test("on the own network is named by its origin", () => {
    const read = (EGRESS_ALLOW: string) => readConfig({ SECRET_KEYS, EGRESS_ALLOW }).egressAllow;
    expect(read("http://127.0.0.1:11434, https://models.lan")).toEqual([
      "http://127.0.0.1:11434",
      "https://models.lan",
    ]);
    expect(faults({ EGRESS_ALLOW: "http://127.0.0.1:11434/v1" }).join()).toContain("EGRESS_ALLOW");
    const { egressAllow, webhookAllow, gitAllow } = readConfig({
      SECRET_KEYS,
      WEBHOOK_ALLOW: "http://127.0.0.1:9000",
      GIT_ALLOW: "http://git.internal:3000, https://10.0.0.8",
    });
    expect([egressAllow, webhookAllow, gitAllow], "each for itself").toEqual([
      [],
      ["http://127.0.0.1:9000"],
      ["http://git.internal:3000", "https://10.0.0.8"],
    ]);
    expect(faults({ GIT_ALLOW: "git.internal" }).join()).toContain("GIT_ALLOW");
    expect(faults({ WEBHOOK_ALLOW: "localhost" }).join()).toContain("WEBHOOK_ALLOW");
  });
});

test("Stripe needs a key, a secret and prices, or nothing at all, and shows none of them", () => {
  const read = (env: NodeJS.ProcessEnv) => readConfig({ SECRET_KEYS, ...env }).billing;
  expect(read({})).toBeNull();
  const STRIPE_PRICES = "team=price_1, credits=price_3";
  expect(read({ STRIPE_SECRET_KEY: "sk", STRIPE_WEBHOOK_SECRET: "whsec_1, whsec_2", STRIPE_PRICES })).toEqual({
    provider: "stripe",
    url: "https://api.stripe.com",
    key: "sk",
    webhookSecrets: ["whsec_1", "whsec_2"],
    prices: { team: "price_1", credits: "price_3" },
  });
  expect(faults({ STRIPE_SECRET_KEY: "canary" })).toEqual([
    "STRIPE_WEBHOOK_SECRET: is not set; Stripe needs it",
    "STRIPE_PRICES: is not set; Stripe needs it",
  ]);
  for (const prices of ["gold=price_1", "team", "team=", "team=price_1,team=price_2"])
    expect(faults({ STRIPE_SECRET_KEY: "k", STRIPE_WEBHOOK_SECRET: "s", STRIPE_PRICES: prices }).join()).toContain(
      "STRIPE_PRICES",
    );
});

test("voice is reached at an address and on ports that are one", () => {
  const read = (given: Record<string, string>) => readConfig({ SECRET_KEYS, ...given }).voice;
  expect(read({})).toEqual({ address: null, ports: null });
  const given = { VOICE_ADDRESS: "198.51.100.7", VOICE_PORTS: "40000-40009" };
  expect(read(given)).toEqual({ address: "198.51.100.7", ports: [40000, 40009] });
  for (const VOICE_PORTS of ["40000", "40009-40000", "80-90", "40000-70000"])
    expect(faults({ VOICE_PORTS }).join()).toContain("VOICE_PORTS");
  expect(faults({ VOICE_ADDRESS: "voice.example.com" }).join()).toContain("VOICE_ADDRESS");
});
