// The client against a real service: what it sends and where, what it repeats and what not, and what becomes of a write
// whose answer is lost.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { operations } from "@svc/contract/operations.ts";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { newProject } from "../../server/test/work.ts";
import { service, sessionHeaders, type World, world } from "../../server/test/world.ts";
import { addressed, newKey, waitMs } from "./call.ts";
import { type ClientOptions, createClient, maybeSignedIn, Problem } from "./client.ts";
import { routes } from "./routes.ts";
import type { Route } from "./shapes.ts";

const running = service();
const origin = () => running.url;
const browser = ({ owner, workspaceId }: World, options: ClientOptions = {}) =>
  createClient({ url: origin(), workspaceId, headers: sessionHeaders(owner.session), ...options });
const problemOf = (call: PromiseLike<unknown>): Promise<Problem> =>
  Promise.resolve(call).then(
    () => expect.fail("it was not refused"),
    (error) => {
      expect(error).toBeInstanceOf(Problem);
      return error as Problem;
    },
  );

/** Sends, and loses the answers that `loses` picks: the service has done it, and nobody hears of it. */
function losing(loses: (request: { method: string; url: string; count: number }) => boolean): typeof fetch {
  let count = 0;
  return async (input, init) => {
    const answer = await fetch(input, init);
    const request = { method: init?.method ?? "GET", url: String(input), count: ++count };
    if (!loses(request)) return answer;
    await answer.arrayBuffer();
    throw new TypeError("fetch failed");
  };
}

describe("what it knows of the contract", () => {
  test("is a route for each operation but redirects and the socket", () => {
    const expected = [...operations.values()]
      .filter(({ redirect, socket }) => !redirect && !socket)
      .map(({ id }) => id);
    expect(Object.keys(routes)).toEqual(expected);
  });

  test("no operation has two fields of one name in path, query and body", () => {
    const fields = (schema: unknown) => Object.keys((schema as { properties?: object } | undefined)?.properties ?? {});
    for (const { id, params, schemas } of operations.values()) {
      const all = [...params, ...fields(schemas.query), ...fields(schemas.body)];
      expect([id, all.filter((name, at) => all.indexOf(name) !== at)]).toEqual([id, []]);
    }
  });

  test("fields go into path, query and body, and a path keeps its slashes", () => {
    const made = addressed(["POST", "/api/v1/projects/{project_id}/x", "at", ""], {
      project_id: "a/b",
      at: 1,
      title: "T",
    });
    expect(made).toEqual({ url: "/api/v1/projects/a%2Fb/x?at=1", body: '{"title":"T"}', type: "application/json" });
    const rest = addressed(["GET", "/files/{*file_path}", "", ""], { file_path: "a b/c?.md" });
    expect(rest).toEqual({ url: "/files/a%20b/c%3F.md" });
    expect(addressed(["POST", "/x", "", ""], {})).toMatchObject({ body: undefined });
    const sync = routes.syncKnowledgeRepository as Route;
    expect(addressed(sync, { workspace_id: "w" }), "all of its fields may be left out").toMatchObject({ body: "{}" });
    expect(() => addressed(["GET", "/x/{id}", "", ""], {})).toThrow("id is missing");
    expect(() => addressed(["GET", "/x/{id}", "", ""], { id: "1", other: 2 })).toThrow("other is no field");
  });
});

describe("a call", () => {
  test("that is given no token is not sent, and ends with what its caller's function refused with", async () => {
    const sent: string[] = [];
    const send: typeof fetch = (input, init) => {
      sent.push(String(input));
      return fetch(input, init);
    };
    const refused = new Error("Sign in.");
    const token = () => Promise.reject(refused);
    const client = createClient({ url: origin(), token, fetch: send });
    await expect(client.listCliProjects()).rejects.toBe(refused);
    expect(sent).toEqual([]);
  });

  test("to which nobody answers says why, after all attempts too", async () => {
    const gone = createServer().listen(0, "127.0.0.1");
    await once(gone, "listening");
    const url = `http://127.0.0.1:${(gone.address() as AddressInfo).port}`;
    gone.close();
    await once(gone, "close");
    const client = createClient({ url, token: "x", attempts: 2 });
    const { code, cause } = await problemOf(client.listCliProjects());
    expect([code, (cause as Error).cause]).toMatchObject(["unreachable", { code: "ECONNREFUSED" }]);
  });

  test("that is refused tells what else the service said of it", async () => {
    const home = await world(running);
    const client = browser(home);
    const task = await client.createTask({ project_id: (await newProject(home)).id, title: "First" });
    const stale = await problemOf(client.updateTask({ task_id: task.id, title: "x" }, { at: { revision: 9 } }));
    expect(stale.extra).toEqual({ current_revision: "1" });
  });

  test("creates, reads, changes at what was read, and is refused where that is stale", async () => {
    const home = await world(running);
    const client = browser(home);
    const { id: project_id } = await newProject(home);
    const task = await client.createTask({ project_id, title: "First" });
    const read = await client.getTask({ task_id: task.id });
    const changed = await client.updateTask({ task_id: task.id, title: "Second" }, { at: read });
    expect([read.title, changed.title, changed.revision]).toEqual(["First", "Second", "2"]);
    const stale = await problemOf(client.updateTask({ task_id: task.id, title: "Third" }, { at: task }));
    expect([stale.code, stale.status, stale.outcome]).toEqual(["revision_conflict", 409, "refused"]);
    const named = await client.updateTask({ task_id: task.id, title: "Third" }, { at: { revision: 2 } });
    expect(named.title).toBe("Third");
    expect(
      (await client.getOperationReceipt({ workspace_id: home.workspaceId, id: client.commandOf(named) as string }))
        .operation,
    ).toBe("updateTask");
  });

  test("with a token is that token's, and asks for the next one when it has ended, once", async () => {
    const home = await world(running);
    const good = await home.token();
    const asked: boolean[] = [];
    const token = (refused: boolean) => {
      asked.push(refused);
      return refused ? good : `svc_pat_${"x".repeat(43)}`;
    };
    const client = createClient({ url: origin(), token });
    expect((await client.listProjects({ workspace_id: home.workspaceId })).items).toEqual([]);
    expect(asked).toEqual([false, true]);
    const never = await problemOf(createClient({ url: origin(), token: async () => "nothing" }).getMe());
    expect([never.status, never.outcome]).toEqual([401, "refused"]);
  });

  test("says what is wrong with which field", async () => {
    const home = await world(running);
    const { id: project_id } = await newProject(home);
    const wrong = await problemOf(browser(home).createTask({ project_id, title: "" }));
    expect([wrong.code, wrong.faults[0]?.pointer]).toEqual(["invalid_request", "/body/title"]);
    expect(wrong.message).not.toBe("");
    expect(wrong.correlationId).toMatch(/.{8}/);
  });

  test("is given up when its caller gives it up", async () => {
    const client = createClient({ url: origin(), fetch: () => Promise.reject(new TypeError("fetch failed")) });
    const calling = client.getMe({}, { signal: AbortSignal.timeout(50) });
    await expect(calling).rejects.toThrow(/abort|timeout/i);
  });
});

describe("in a browser", () => {
  /**
   * Sends the cookies of the moment, as a browser does; `replacing` moves the session while the next call is on its
   * way.
   */
  async function signedIn() {
    const { owner, workspaceId } = await world(running);
    let [jar, moving, sent] = [owner.session, false, 0];
    vi.stubGlobal("document", {
      get cookie() {
        return sessionHeaders(jar).cookie;
      },
    });
    onTestFinished(() => void vi.unstubAllGlobals());
    const send: typeof fetch = async (input, init) => {
      sent++;
      const { cookie } = sessionHeaders(jar);
      if (moving) {
        moving = false;
        const { cookies } = await owner.call("PUT", "/auth/session/workspace", { body: { workspace_id: workspaceId } });
        jar = /__Host-svc_session=([^;]+)/.exec(cookies.join("; "))?.[1] as string;
      }
      return fetch(input, { ...init, headers: { ...(init?.headers as Record<string, string>), cookie } });
    };
    return {
      client: createClient({ url: origin(), fetch: send, attempts: 1 }),
      replacing: () => {
        moving = true;
      },
      sent: () => sent,
    };
  }

  test("a read that was on its way while the session was replaced is sent again with the new one", async () => {
    const { client, replacing, sent } = await signedIn();
    expect(maybeSignedIn()).toBe(true);
    replacing();
    expect(await client.getMe()).toHaveProperty("email");
    expect(sent()).toBe(2);
  });

  test("a write is not: it was meant for where the session was", async () => {
    const { client, replacing, sent } = await signedIn();
    replacing();
    expect((await problemOf(client.updateMe({ display_name: "Ada" }))).code).toBe("authentication_required");
    expect(sent()).toBe(1);
    expect(await client.updateMe({ display_name: "Ada" })).toMatchObject({ display_name: "Ada" });
  });
});

describe("a list", () => {
  test("awaited is its first page, and looped over all of it", async () => {
    const home = await world(running);
    const client = browser(home);
    const { id: project_id } = await newProject(home);
    for (let number = 1; number <= 5; number++) await client.createTask({ project_id, title: `T${number}` });
    const sort = "title";
    const first = await client.listProjectTasks({ project_id, limit: 2, sort });
    expect([first.items.map(({ title }) => title), first.has_more]).toEqual([["T1", "T2"], true]);
    const all: string[] = [];
    for await (const { title } of client.listProjectTasks({ project_id, limit: 2, sort })) all.push(title);
    expect(all).toEqual(["T1", "T2", "T3", "T4", "T5"]);
  });

  test("asks for no page that nobody wants", async () => {
    const home = await world(running);
    let asked = 0;
    const counting: typeof fetch = (input, init) => {
      asked++;
      return fetch(input, init);
    };
    const client = browser(home, { fetch: counting });
    const { id: project_id } = await newProject(home);
    for (let number = 1; number <= 3; number++) await client.createTask({ project_id, title: `T${number}` });
    asked = 0;
    const tasks = client.listProjectTasks({ project_id, limit: 1 });
    expect(asked).toBe(0);
    for await (const _task of tasks) break;
    expect(asked).toBe(1);
  });
});

describe("a write whose answer is lost", () => {
  const titles = async (home: World, project_id: string) =>
    (await browser(home).listProjectTasks({ project_id })).items.map(({ title }) => title);

  test("is sent again with its key, and has one effect", async () => {
    const home = await world(running);
    const { id: project_id } = await newProject(home);
    const told: string[] = [];
    const fetch = losing(({ count }) => count <= 2);
    const client = browser(home, { fetch, onRetry: ({ problem }) => told.push(problem.code) });
    const task = await client.createTask({ project_id, title: "Once" });
    expect(told).toEqual(["unreachable", "unreachable"]);
    expect(task.title).toBe("Once");
    expect(await titles(home, project_id)).toEqual(["Once"]);
  });

  test("is known to be done by its receipt, where its answer never comes", async () => {
    const home = await world(running);
    const { id: project_id } = await newProject(home);
    const fetch = losing(({ method }) => method === "POST");
    const lost = await problemOf(browser(home, { fetch, attempts: 2 }).createTask({ project_id, title: "Done" }));
    expect([lost.code, lost.outcome]).toEqual(["unreachable", "done"]);
    expect(await titles(home, project_id)).toEqual(["Done"]);
  });

  test("gets its answer after all, where the receipt is there and the way is open again", async () => {
    const home = await world(running);
    const { id: project_id } = await newProject(home);
    let receipts = 0;
    const fetch = losing(({ method, url }) => {
      if (url.includes("operation-receipts")) receipts++;
      return method === "POST" && receipts === 0;
    });
    const task = await browser(home, { fetch, attempts: 2 }).createTask({ project_id, title: "Late" });
    expect([task.title, receipts]).toEqual(["Late", 1]);
    expect(await titles(home, project_id)).toEqual(["Late"]);
  });

  test("is unknown where nobody can be asked, and done once when it is sent again with the same key", async () => {
    const home = await world(running);
    const { id: project_id } = await newProject(home);
    const key = newKey();
    const fetch = losing(() => true);
    const lost = await problemOf(
      browser(home, { fetch, attempts: 2 }).createTask({ project_id, title: "One" }, { key }),
    );
    expect([lost.outcome, lost.key]).toEqual(["unknown", key]);
    await browser(home).createTask({ project_id, title: "One" }, { key });
    expect(await titles(home, project_id)).toEqual(["One"]);
  });

  test("is not known to be refused because a later attempt was", async () => {
    const home = await world(running);
    const { id: project_id } = await newProject(home);
    const answers = [
      losing(() => true),
      async () => new Response('{"code":"forbidden"}', { status: 403, headers: JSON_TYPE }),
    ];
    const client = createClient({
      url: origin(),
      headers: sessionHeaders(home.owner.session),
      fetch: (input, init) => (answers.shift() as typeof fetch)(input, init),
    });
    const lost = await problemOf(client.createTask({ project_id, title: "Perhaps" }));
    expect([lost.code, lost.outcome]).toEqual(["forbidden", "unknown"]);
  });

  const JSON_TYPE = { "content-type": "application/problem+json" };
});

describe("what is tried again", () => {
  const refusing = async (answer: { status: number; code?: string; times: number; retryAfter?: string }) => {
    let [left, asked] = [answer.times, 0];
    const server = createServer((_request, response) => {
      asked++;
      const done = left-- <= 0;
      const headers = {
        "content-type": "application/json",
        ...(answer.retryAfter && !done ? { "retry-after": answer.retryAfter } : {}),
      };
      response.writeHead(done ? 200 : answer.status, headers);
      response.end(done ? "{}" : JSON.stringify(answer.code ? { code: answer.code } : {}));
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { client: createClient({ url, attempts: 3 }), asked: () => asked };
  };

  test("is whatever the service asks to send later, a write without a key too", async () => {
    for (const code of ["overloaded", "maintenance", "rate_limited"]) {
      const { client, asked } = await refusing({ status: 503, code, times: 1 });
      await client.login({ email: "a@example.com", password: "x" });
      expect([code, asked()]).toEqual([code, 2]);
    }
  });

  test("is no write without a key that may have happened", async () => {
    const { client, asked } = await refusing({ status: 502, times: 9 });
    const problem = await problemOf(client.login({ email: "a@example.com", password: "x" }));
    expect([problem.outcome, asked()]).toEqual(["unknown", 1]);
  });

  test("ends after so many attempts, and at once where it would wait for long", async () => {
    const often = await refusing({ status: 503, code: "overloaded", times: 9 });
    expect((await problemOf(often.client.getMe())).code).toBe("overloaded");
    expect(often.asked()).toBe(3);
    const late = await refusing({ status: 429, code: "rate_limited", times: 9, retryAfter: "900" });
    expect((await problemOf(late.client.getMe())).retryAfter).toBe(900);
    expect(late.asked()).toBe(1);
  });

  test("waits twice as long each time, never less than it is told, and never all at once", () => {
    expect([1, 2, 3, 4].map((attempt) => waitMs(attempt, null, 1))).toEqual([200, 400, 800, 1600]);
    expect(waitMs(1, null, 0)).toBe(100);
    expect(waitMs(30, null, 1)).toBe(20_000);
    expect(waitMs(1, 3, 1)).toBe(3000);
  });
});

describe("a file", () => {
  test("is reserved, sent with its progress and completed", async () => {
    const home = await world(running);
    const file = new File([new Uint8Array(300_000).fill(7)], "sevens.bin", { type: "application/octet-stream" });
    const told: number[] = [];
    const attachment = await browser(home).uploadFile(file, { onProgress: (sent) => told.push(sent) });
    expect([attachment.filename, attachment.size]).toEqual(["sevens.bin", 300_000]);
    expect(told.at(-1)).toBe(300_000);
    expect(told.length).toBeGreaterThan(1);
  });

  test("that storage does not take leaves no reservation", async () => {
    const home = await world(running);
    const failing: typeof fetch = (input, init) =>
      init?.method === "PUT" ? Promise.resolve(new Response(null, { status: 403 })) : fetch(input, init);
    const client = browser(home, { fetch: failing });
    expect((await problemOf(client.uploadFile(new Blob(["x"]), { filename: "x.txt" }))).code).toBe("upload_failed");
    const find = "select state from attachments";
    const left = await running.sql<{ state: string }>(find, [], home.workspaceId);
    expect(left).toEqual([{ state: "deleted" }]);
  });
});
