// Getting in: signing in through a browser, tokens that nobody else can read, profiles, one refresh for many processes,
// and what becomes of credentials that have ended.
import type { ChildProcess } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { eventually } from "../../server/test/eventually.ts";
import { answered, cli, form, tokenPath } from "../../server/test/oauth.ts";
import { newProject } from "../../server/test/work.ts";
import { type Person, service, type World, world } from "../../server/test/world.ts";
import { alsoMemberOf, ended, type Home, hasScript, newHome, node, program, signedIn } from "./program.ts";

const running = service();

const profileOf = (home: Home, name = "test") =>
  JSON.parse(readFileSync(join(home.config, "profiles", `${name}.json`), "utf8"));
const changeProfile = (home: Home, change: (profile: ReturnType<typeof profileOf>) => void, name = "test") => {
  const profile = profileOf(home, name);
  change(profile);
  writeFileSync(join(home.config, "profiles", `${name}.json`), JSON.stringify(profile));
};

/** Plays the browser: goes to the address that svc has shown, and answers the question there. */
async function browse(person: Person, workspaceId: string, address: string, decision = "approve") {
  const { pathname, search } = new URL(address);
  const asked = await person.call("GET", pathname + search);
  const request = new URL(asked.headers.get("location") ?? "", running.url).searchParams.get("request") as string;
  return (await answered(person, request, workspaceId, decision)).body.redirect_to as string;
}

const ADDRESS = /^ {2}(http\S+)\r?$/m;
/** The address that the program shows while it waits. */
const shownBy = (stream: Readable | null, child: ChildProcess) =>
  new Promise<string>((resolve, reject) => {
    let shown = "";
    stream?.on("data", (chunk) => {
      shown += chunk;
      const found = ADDRESS.exec(shown)?.[1];
      if (found) resolve(found);
    });
    child.on("close", () => reject(new Error(shown)));
  });

/** Runs `svc login`, and plays the browser that it waits for. */
async function logIn(
  home: Home,
  place: World,
  back: (to: string) => Promise<unknown>,
  args: string[] = [],
  decision?: string,
) {
  const login = home.open(["login", running.url, "--no-browser", ...args]);
  const address = await new Promise<string>((resolve, reject) => {
    login.onError((shown) => {
      const found = ADDRESS.exec(shown)?.[1];
      if (found) resolve(found);
    });
    login.end.then(({ err }) => reject(new Error(err)), reject);
  });
  await back(await browse(place.owner, place.workspaceId, address, decision));
  return { ...(await login.end), address };
}

describe("svc login", () => {
  test("signs in through the browser with PKCE and a loopback, and keeps the tokens where only their owner reads them", async () => {
    const place = await world(running);
    const home = newHome();
    const { code, out, address } = await logIn(home, place, fetch);
    expect([code, out]).toEqual([0, expect.stringContaining("Signed in at")]);
    const query = new URL(address).searchParams;
    expect(query.get("code_challenge_method")).toBe("S256");
    expect(query.get("redirect_uri")).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    const name = new URL(running.url).host.replace(":", "-");
    const file = join(home.config, "profiles", `${name}.json`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(home.config, "profiles")).mode & 0o777).toBe(0o700);
    expect(out + address).not.toMatch(/svc_d[ar]t_/);
    expect(await home.json(["status"])).toMatchObject({
      url: running.url,
      profile: name,
      workspace: { id: place.workspaceId },
    });
  });

  test("takes no answer that is not to its own question, and none but at its callback", async () => {
    const place = await world(running);
    const home = newHome();
    const { code } = await logIn(home, place, async (to) => {
      const forged = new URL(to);
      forged.searchParams.set("state", "forged");
      expect((await fetch(forged)).status).toBe(404);
      expect((await fetch(new URL("/", to))).status).toBe(404);
      await fetch(to);
    });
    expect(code).toBe(0);
  });

  test("that is denied says so, and leaves nothing behind", async () => {
    const home = newHome();
    const { code, err } = await logIn(home, await world(running), fetch, [], "deny");
    expect([code, err]).toEqual([4, expect.stringContaining("You were not signed in")]);
    expect(readdirSync(join(home.config, "profiles"))).toEqual([]);
  });

  test("opens what BROWSER names with the address", async () => {
    const home = newHome();
    const opened = join(home.dir, "opened");
    const browser = join(home.dir, "browser");
    writeFileSync(browser, `#!/bin/sh\nprintf '%s' "$1" > ${opened}\n`, { mode: 0o755 });
    const login = home.open(["login", running.url], { env: { BROWSER: browser } });
    const address = await eventually(() => {
      const shown = readFileSync(opened, "utf8");
      expect(shown).not.toBe("");
      return shown;
    });
    const place = await world(running);
    await fetch(await browse(place.owner, place.workspaceId, address));
    expect((await login.end).code).toBe(0);
  });

  test.runIf(hasScript)(
    "takes the address that a browser on another machine ended at, pasted at the terminal",
    async () => {
      const place = await world(running);
      const home = newHome();
      const command = `${node} ${await program()} login ${running.url} --no-browser`;
      // A process: only a terminal has somebody who pastes.
      const child = home.begin("script", ["-qec", command, "/dev/null"], {});
      const end = ended(child);
      const address = await shownBy(child.stdout, child);
      child.stdin?.write("nonsense\n");
      child.stdin?.write(`${await browse(place.owner, place.workspaceId, address)}\n`);
      expect((await end).out).toContain("Signed in at");
    },
  );

  test("refuses a scope, an address and a name that there cannot be, before it asks anybody", async () => {
    const home = newHome();
    for (const args of [
      ["login", "--scopes", "svc:all"],
      ["login", "ftp://x y"],
      ["login", "--profile", "../x"],
    ])
      expect((await home.svc(args)).code, args.join(" ")).toBe(2);
  });

  test("uses the keychain where there is one, and then no token is in the file", async () => {
    const home = newHome({ SVC_KEYCHAIN: undefined });
    const bin = join(home.dir, "bin");
    const kept = join(home.dir, "kept");
    await home.run("mkdir", [bin]);
    // As the program of the desktop takes its secret, and gives it.
    const script =
      `#!/bin/sh\ncase "$1" in store) cat > ${kept};; lookup) cat ${kept} 2>/dev/null || exit 1;; ` +
      `clear) rm -f ${kept};; esac\n`;
    writeFileSync(join(bin, "secret-tool"), script, { mode: 0o755 });
    home.env.PATH = `${bin}:${home.env.PATH}`;
    const place = await world(running);
    const { code, out } = await logIn(home, place, fetch);
    expect([code, out]).toEqual([0, expect.stringContaining("keychain")]);
    const [name] = readdirSync(join(home.config, "profiles"));
    expect(readFileSync(join(home.config, "profiles", name as string), "utf8")).not.toContain("svc_");
    expect((await home.json(["status"])).workspace).toMatchObject({ id: place.workspaceId });
    expect((await home.svc(["logout"])).code).toBe(0);
    expect(existsSync(kept)).toBe(false);
  });
});

describe("tokens", () => {
  test("are renewed when they have ended, and the next ones are kept", async () => {
    const home = await signedIn(running, await world(running), { expired: true });
    const before = profileOf(home).tokens;
    expect((await home.svc(["status"])).code).toBe(0);
    const after = profileOf(home).tokens;
    expect(after.refresh_token).not.toBe(before.refresh_token);
    expect(after.expires_at).toBeGreaterThan(Date.now());
    expect(statSync(join(home.config, "profiles", "test.json")).mode & 0o777).toBe(0o600);
  });

  test("that the service refuses before their time are renewed as well", async () => {
    const home = await signedIn(running, await world(running));
    changeProfile(home, ({ tokens }) => {
      tokens.access_token = tokens.access_token.replace(/.{12}$/, "000000000000");
    });
    expect((await home.svc(["status"])).code).toBe(0);
  });

  // Four of them are processes: the lock holds between processes and within one.
  test("are renewed once for twenty commands at the same moment, and the family lives on", async () => {
    const place = await world(running);
    const home = await signedIn(running, place, { expired: true });
    const used = profileOf(home).tokens.refresh_token;
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, at) => (at < 4 ? home.spawned : home.svc)(["status", "--json", "workspace"])),
    );
    expect(all.map(({ code, err }) => `${code} ${err}`)).toEqual(Array(20).fill("0 "));
    const next = profileOf(home).tokens.refresh_token;
    expect(next).not.toBe(used);
    // One rotation, and not twenty one after the other: the one that was used, and its successor.
    const [{ count } = { count: "" }] = await running.sql<{ count: string }>(
      "select count(*) from oauth_refresh_tokens t join oauth_grants g on g.id = t.grant_id where g.user_id = $1",
      [place.owner.userId],
    );
    expect(Number(count)).toBe(2);
    changeProfile(home, ({ tokens }) => {
      tokens.expires_at = 0;
    });
    expect((await home.svc(["status"])).code).toBe(0);
  });

  test("are renewed although a process has died while it held the lock", async () => {
    const home = await signedIn(running, await world(running), { expired: true });
    writeFileSync(join(home.config, "profiles", "test.json.lock.7"), "999999999");
    expect((await home.svc(["status"])).code).toBe(0);
    expect(readdirSync(join(home.config, "profiles")).filter((name) => name.includes("lock"))).toEqual([
      "test.json.lock.8",
    ]);
    expect((await home.svc(["logout"])).code).toBe(0);
    expect(readdirSync(join(home.config, "profiles"))).toEqual([]);
  });

  test("of a family that was revoked end with 4, and say what to type", async () => {
    const home = await signedIn(running, await world(running));
    const { access_token } = profileOf(home).tokens;
    await running.send("POST", "/dev/oauth/revoke", { headers: { authorization: `Bearer ${access_token}` } });
    const { code, err } = await home.svc(["work"]);
    expect([code, err]).toEqual([4, expect.stringContaining("svc login --profile test")]);
  });

  test("that cannot be kept are not asked for, so that the family is not lost", async () => {
    const place = await world(running);
    const home = await signedIn(running, place, { expired: true });
    const { refresh_token } = profileOf(home).tokens;
    // A process of another user: the owner of the machine may write everywhere.
    const uid = process.getuid?.() === 0 ? 65_534 : undefined;
    if (uid !== undefined) await home.run("chown", ["-R", String(uid), home.dir]);
    chmodSync(join(home.config, "profiles"), 0o500);
    const { code, err } = await home
      .spawned(["status"], { uid })
      .finally(() => chmodSync(join(home.config, "profiles"), 0o700));
    expect([code, err]).toEqual([1, expect.stringContaining("SVC_CONFIG_DIR")]);
    const fields = { grant_type: "refresh_token", client_id: cli.id, refresh_token };
    expect((await form(running, tokenPath(cli), fields)).status, "it was not sent").toBe(200);
  });
});

describe("a home that cannot be written", () => {
  test("is told before anybody is asked to sign in", async () => {
    for (const folder of ["/dev/null/svc", "/proc/none/svc"]) {
      const home = newHome({ SVC_CONFIG_DIR: folder });
      const { code, err } = await home.svc(["login", running.url, "--no-browser"]);
      expect([code, err]).toEqual([1, expect.stringContaining("SVC_TOKEN")]);
    }
  });

  test("does not hinder a token from the environment", async () => {
    const place = await world(running);
    const { key } = await newProject(place);
    const env = { SVC_CONFIG_DIR: "/dev/null/svc", SVC_TOKEN: await place.token(), SVC_URL: running.url };
    const { code, out } = await newHome(env).svc(["project", "list", "--jq", ".items[].code"]);
    expect([code, out]).toEqual([0, `${key}\n`]);
  });
});

test("profiles are kept where XDG_CONFIG_HOME says, and SVC_CONFIG_DIR says it more exactly", async () => {
  const home = await signedIn(running, await world(running));
  const listed = async (env: Record<string, string>) => (await home.json(["profile", "list"], { env })).items.length;
  expect(await listed({ XDG_CONFIG_HOME: join(home.dir, ".config") })).toBe(1);
  expect(await listed({ XDG_CONFIG_HOME: home.dir })).toBe(0);
  expect(await listed({ XDG_CONFIG_HOME: home.dir, SVC_CONFIG_DIR: home.config })).toBe(1);
});

describe("a credential that is no good", () => {
  test("none at all is 4, and the message says how to get one", async () => {
    const { code, err, out } = await newHome().svc(["work"]);
    expect([code, out]).toEqual([4, ""]);
    expect(err).toContain("svc login");
  });

  test("SVC_TOKEN that is wrong is 4, and is tried once", async () => {
    const env = { SVC_TOKEN: "svc_pat_nonsense", SVC_URL: running.url };
    const { code, err } = await newHome(env).svc(["work"]);
    expect([code, err]).toEqual([4, expect.stringContaining("does not accept SVC_TOKEN")]);
  });

  test("a scope that was not granted is 4", async () => {
    const place = await world(running);
    const { key } = await newProject(place);
    const home = await signedIn(running, place, { scope: "svc:read" });
    const { code, err } = await home.svc(["task", "create", key, "Not mine to make"]);
    expect([code, err]).toEqual([4, expect.stringContaining("--scopes")]);
  });

  test("no token is ever sent to an address that it is not of", async () => {
    const home = await signedIn(running, await world(running));
    const { code, err } = await home.svc(["work"], { env: { SVC_URL: "http://localhost:1" } });
    expect([code, err]).toEqual([4, expect.stringContaining("svc login")]);
  });

  test("no network is 1, and is told as that", async () => {
    const home = await signedIn(running, await world(running));
    changeProfile(home, (profile) => {
      profile.url = "http://127.0.0.1:65531";
    });
    const { code, err } = await home.svc(["work"]);
    expect([code, err]).toEqual([1, expect.stringContaining("ECONNREFUSED")]);
  });
});

describe("profiles and Workspaces", () => {
  test("several are kept, one is in use, and another can be named for one command", async () => {
    const [one, other] = [await world(running), await world(running)];
    const home = await signedIn(running, one, { name: "one" });
    await signedIn(running, other, { name: "other", home });
    const here = async (args: string[] = [], env = {}) => (await home.json(["status", ...args], { env })).workspace;
    expect(await here()).toMatchObject({ id: other.workspaceId });
    expect(await here(["--profile", "one"])).toMatchObject({ id: one.workspaceId });
    expect(await here([], { SVC_PROFILE: "one" })).toMatchObject({ id: one.workspaceId });
    expect((await home.svc(["profile", "use", "one"])).code).toBe(0);
    expect(await here()).toMatchObject({ id: one.workspaceId });
    expect((await home.json(["profile", "list"])).items).toMatchObject([
      { name: "one", current: true },
      { name: "other" },
    ]);
    expect((await home.svc(["profile", "use", "none"])).code).toBe(8);
    expect((await home.svc(["work", "--profile", "none"])).code).toBe(4);
  });

  test("switching the Workspace rotates the tokens: the old ones are dead, the new ones are there", async () => {
    const [place, other] = [await world(running), await world(running)];
    await alsoMemberOf(running, other, place.owner);
    const home = await signedIn(running, place);
    const { access_token } = profileOf(home).tokens;
    const { items } = await home.json(["workspace", "list"]);
    expect(items).toMatchObject([
      { id: place.workspaceId, current: true },
      { id: other.workspaceId, current: false },
    ]);
    expect((await home.svc(["workspace", "switch", items[1].slug])).code).toBe(0);
    expect((await home.json(["status"])).workspace).toMatchObject({ id: other.workspaceId });
    expect((await place.owner.bearer(access_token, "GET", "/dev/workspace")).status).toBe(401);
    expect((await home.svc(["workspace", "switch", "nowhere"])).code).toBe(8);
  });

  test("SVC_TOKEN is for one Workspace, and says so", async () => {
    const env = { SVC_TOKEN: await (await world(running)).token(), SVC_URL: running.url };
    expect((await newHome(env).svc(["workspace", "list"])).code).toBe(2);
  });
});

describe("svc logout", () => {
  test("revokes all tokens of the profile, and forgets them", async () => {
    const place = await world(running);
    const home = await signedIn(running, place);
    const { access_token, refresh_token } = profileOf(home).tokens;
    expect((await home.svc(["logout"])).code).toBe(0);
    expect((await place.owner.bearer(access_token, "GET", "/dev/workspace")).status).toBe(401);
    const fields = { grant_type: "refresh_token", client_id: cli.id, refresh_token };
    expect((await form(running, tokenPath(cli), fields)).body.error).toBe("invalid_grant");
    expect((await home.svc(["work"])).code).toBe(4);
    expect((await home.svc(["logout"])).code).toBe(4);
  });

  test("keeps what it could not revoke, unless it is told to forget it", async () => {
    const home = await signedIn(running, await world(running));
    changeProfile(home, (profile) => {
      profile.url = "http://127.0.0.1:65531";
    });
    expect((await home.svc(["logout"])).code).toBe(1);
    expect(profileOf(home).url).toBe("http://127.0.0.1:65531");
    expect((await home.svc(["logout", "--force"])).code).toBe(0);
    expect((await home.json(["profile", "list"])).items).toEqual([]);
  });

  test("of a family that has ended already forgets it", async () => {
    const home = await signedIn(running, await world(running));
    const { access_token } = profileOf(home).tokens;
    await running.send("POST", "/dev/oauth/revoke", { headers: { authorization: `Bearer ${access_token}` } });
    expect((await home.svc(["logout"])).code).toBe(0);
    expect((await home.json(["profile", "list"])).items).toEqual([]);
  });
});
