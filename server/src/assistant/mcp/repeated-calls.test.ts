// When a write counts as a repeat of an earlier one, and what the client then reads.
import { describe, expect, test } from "vitest";
import { callTool, mcpToken, serviceToken, taskByCode, toolWorkshop } from "../../../test/mcp.ts";
import { refreshed, registered, tokensFor } from "../../../test/oauth.ts";
import { service } from "../../../test/world.ts";

const running = service();
const workshop = () => toolWorkshop(running);
type Workshop = Awaited<ReturnType<typeof workshop>>;

/** Moves a write into the past. */
const age = (command: string, seconds: number) =>
  running.asOwner("update audit_log set occurred_at = occurred_at - make_interval(secs => $2) where id = $1", [
    command,
    seconds,
  ]);
const titled = async ({ place, project }: Workshop, title: string) =>
  (await place.owner.call("GET", `/projects/${project.id}/tasks?text=${title}`)).body.items as { code: string }[];
const commentsOf = async ({ place, task }: Workshop) =>
  (await place.owner.call("GET", `/tasks/${task.id}/comments`)).body.items as { deleted_at: string | null }[];
const trash = async ({ place }: Workshop, code: string) => {
  const { id, revision } = await taskByCode(place, code);
  const trashed = await place.owner.call("POST", `/tasks/${id}/trash`, { ifMatch: revision });
  expect(trashed.status, trashed.text).toBe(200);
};

const WORDS =
  "Nothing was done: this client made the same call less than a minute ago, and this is the result of that call.";

describe("without a key", () => {
  test("an equal call of the same client within a minute is a repeat, and the answer says so", async () => {
    const at = await workshop();
    const { project, task, use } = at;
    for (const [name, args] of [
      ["create_task", { project: project.key, title: "Once" }],
      ["comment", { code: task.code, markdown: "Once" }],
    ] as const) {
      const first = await use(name, args);
      await age(first.command, 50);
      const again = await use(name, args);
      expect(again, name).toEqual({
        ...first,
        repeated: true,
        more: `${WORDS} To do it once more, call again with a new key.`,
      });
    }
    expect(await titled(at, "Once")).toHaveLength(1);
    expect(await commentsOf(at)).toHaveLength(1);
  });

  test("the words name a key only where the tool takes one", async () => {
    const { task, use } = await workshop();
    const change = { code: task.code, revision: task.revision, priority: "high" };
    await use("update_task", change);
    expect((await use("update_task", change)).more).toBe(WORDS);
  });

  test("a draft and a proposal say that they are repeats", async () => {
    const { task, use } = await workshop();
    const changes = [{ action: "comment", code: task.code, markdown: "Once" }];
    const first = await use("propose_changes", { title: "Once", changes });
    const again = await use("propose_changes", { title: "Once", changes });
    expect(again).toEqual({ ...first, repeated: true, more: `${WORDS} ${first.more}` });
  });

  test("after a minute an equal call is a new one, and the next repeats that", async () => {
    const at = await workshop();
    const args = { project: at.project.key, title: "Weekly" };
    const first = await at.use("create_task", args);
    await age(first.command, 61);
    const second = await at.use("create_task", args);
    expect([second.repeated, second.code === first.code]).toEqual([undefined, false]);
    expect(await at.use("create_task", args)).toMatchObject({ repeated: true, code: second.code });
    expect(await titled(at, "Weekly")).toHaveLength(2);
  });

  test("of two equal calls at once after a minute, one is made and the other repeats it", async () => {
    const at = await workshop();
    const args = { code: at.task.code, markdown: "Again" };
    await age((await at.use("comment", args)).command, 61);
    const both = await Promise.all([at.use("comment", args), at.use("comment", args)]);
    expect(new Set(both.map(({ command }) => command)).size, JSON.stringify(both)).toBe(1);
    expect(both.filter(({ repeated }) => repeated)).toHaveLength(1);
    expect(await commentsOf(at)).toHaveLength(2);
  });

  test("a change that is a minute old is compared with the revision again", async () => {
    const { task, use } = await workshop();
    const step = { code: task.code, revision: task.revision, step: "start" };
    await age((await use("advance_task", step)).command, 61);
    expect((await use("advance_task", step)).refused).toContain("[revision_conflict]");
  });

  test("an equal call of another client of the same person is a new one", async () => {
    const at = await workshop();
    const args = { project: at.project.key, title: "Both" };
    const first = await at.use("create_task", args);
    const other = await mcpToken(running, at.place);
    const second = await callTool(running, other, "create_task", args);
    expect([second.repeated, second.code === first.code]).toEqual([undefined, false]);
    expect(await titled(at, "Both")).toHaveLength(2);
  });

  test("an equal call of another service credential is a new one", async () => {
    const at = await workshop();
    const args = { code: at.task.code, markdown: "Nightly" };
    for (let each = 0; each < 2; each++) {
      const { token } = await serviceToken(at.place, ["svc:comments:write"]);
      expect((await callTool(running, token, "comment", args)).repeated).toBeUndefined();
      expect((await callTool(running, token, "comment", args)).repeated).toBe(true);
    }
    expect(await commentsOf(at)).toHaveLength(2);
  });

  test("a client that has refreshed its token is the same client", async () => {
    const at = await workshop();
    const client = await registered(running);
    const tokens = await tokensFor(running, at.place, client, { scope: "svc:comments:write" });
    const args = { code: at.task.code, markdown: "Once" };
    const first = await callTool(running, tokens.access_token, "comment", args);
    const next = (await refreshed(running, client, tokens.refresh_token)).body;
    expect(await callTool(running, next.access_token, "comment", args)).toMatchObject({
      repeated: true,
      command: first.command,
    });
  });

  test("two equal calls of log_time are two entries, and with a key they are one", async () => {
    const { place, task, use } = await workshop();
    const args = { code: task.code, duration: "30m", date: "2026-05-04" };
    for (let each = 0; each < 2; each++) expect((await use("log_time", args)).repeated).toBeUndefined();
    const keyed = { ...args, key: "a-key-of-the-assistant" };
    await use("log_time", keyed);
    expect((await use("log_time", keyed)).repeated).toBe(true);
    expect((await place.owner.call("GET", `/tasks/${task.id}/time-totals`)).body.entries).toBe(3);
  });
});

describe("a result that is gone", () => {
  test("is not returned: a Task that was trashed since is created again", async () => {
    const at = await workshop();
    const args = { project: at.project.key, title: "Gone" };
    const first = await at.use("create_task", args);
    await trash(at, first.code);
    const second = await at.use("create_task", args);
    expect([second.repeated, second.code === first.code]).toEqual([undefined, false]);
    expect((await taskByCode(at.place, second.code)).trashed_at).toBeNull();
    expect(await at.use("create_task", args)).toMatchObject({ repeated: true, code: second.code });
  });

  test("is not returned: a comment that was undone since is made again", async () => {
    const at = await workshop();
    const args = { code: at.task.code, markdown: "Oops" };
    const { command } = await at.use("comment", args);
    await at.use("undo", { command });
    expect((await at.use("comment", args)).repeated).toBeUndefined();
    expect((await commentsOf(at)).filter(({ deleted_at }) => deleted_at === null)).toHaveLength(1);
  });

  test("is not returned: a change of a Task that was trashed since is refused", async () => {
    const at = await workshop();
    const { task, use } = at;
    const change = { code: task.code, revision: task.revision, title: "Cut them" };
    await use("update_task", change);
    const args = { code: task.code, markdown: "Still there?" };
    await use("comment", args);
    await trash(at, task.code);
    const again = await use("update_task", change);
    expect(again.refused).toContain("[revision_conflict]");
    expect(again.title).toBeUndefined();
    expect((await use("comment", args)).refused).toBeDefined();
  });

  test("is refused under a chosen key, which says to choose another one", async () => {
    const at = await workshop();
    const key = "a-key-of-the-assistant";
    const args = { project: at.project.key, title: "Gone", key };
    const { code } = await at.use("create_task", args);
    await trash(at, code);
    const { refused } = await at.use("create_task", args);
    expect(refused).toContain("key was used for a write that was undone or trashed since");
    expect(refused).toContain("choose another key");
    expect(await titled(at, "Gone")).toEqual([]);
    const { code: next } = await at.use("create_task", { ...args, key: `${key}-2` });
    expect(await titled(at, "Gone")).toMatchObject([{ code: next }]);
  });
});
