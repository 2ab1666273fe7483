// Activity in groups: what is told together, and to whom. That nothing is told twice or left out is in
// groups-paging.test.ts.
import { describe, expect, test } from "vitest";
import {
  bulk,
  change,
  childrenOf,
  feedOf,
  type Group,
  groupsOf,
  HOUR,
  short,
  telling,
} from "../../../test/activity-groups.ts";
import { commandOf, redo, undo } from "../../../test/commands.ts";
import { joinProject, newComment, newProject, newTask, refusalOf } from "../../../test/work.ts";
import { insertCredential, world } from "../../../test/world.ts";
import { newId, newSecret } from "../../platform/wire/ids.ts";

const { running, query, hour, workshop, groups, children } = telling();

describe("what is told together", () => {
  test("one command that changes many Tasks is one group, with all that it did", async () => {
    const { home, project, owner } = await workshop();
    const tasks = await Promise.all(Array.from({ length: 30 }, () => newTask(owner, project.id)));
    await bulk(home, tasks, { priority: "high", due_date: "2027-01-01" });
    const [group] = (await groups(home, owner)) as [Group];
    expect(group).toMatchObject({
      kind: "command",
      actor_ids: [owner.actorId],
      resource: null,
      project_id: project.id,
      task_id: null,
      kinds: ["priority", "deadline"],
      count: 60,
      capped: false,
    });
    expect(group.first_occurred_at).toBe(group.last_occurred_at);
    const items = await children(home, owner, group);
    expect(items).toEqual(group.items);
    expect([items.length, items[0]?.count, items[0]?.affected.length]).toEqual([1, 60, 25]);
  });

  test("what one person does to a Task and in its comments within an hour is one group; what another does, another", async () => {
    const { home, project, owner } = await workshop();
    const member = await home.member("member");
    const task = await newTask(owner, project.id, { title: "Old" });
    await change(owner, task, { priority: "high" });
    await change(member, task, { due_date: "2027-01-01" });
    const comment = await newComment(owner, task.id);
    await change(owner, task, { title: "New", priority: "low" });
    const [theirs, mine] = (await groups(home, owner)) as [Group, Group];
    expect(short(theirs)).toBe("resource 1 task.dates_changed");
    expect(mine).toMatchObject({
      kind: "resource",
      actor_ids: [owner.actorId],
      resource: { kind: "task", id: task.id, code: task.code, title: "New", project_id: project.id, task_id: task.id },
      project_id: project.id,
      task_id: task.id,
      kinds: ["priority", "comment", "progress"],
      count: 4,
      capped: false,
    });
    expect(mine.actions).toEqual(
      ["task.priority_changed", "task.comment.created", "task.created"].map((a) => `activity.${a}`),
    );
    expect(mine.items).toHaveLength(3);
    expect(mine.items[1]?.affected[0]?.id).toBe(comment.id);
    expect(mine.first_occurred_at < mine.last_occurred_at).toBe(true);
    const all = await children(home, owner, mine);
    expect([all.length, all.slice(0, 3)]).toEqual([4, mine.items]);
  });

  test("the next hour of the clock begins a new group", async () => {
    const { home, project, owner } = await workshop();
    const task = await newTask(owner, project.id);
    for (const priority of ["high", "low", "high"]) await change(owner, task, { priority });
    const times = [0, HOUR - 1, HOUR, 2 * HOUR - 1].map((at) => new Date(hour - 5 * HOUR + at));
    const rows = await query<{ id: string }>(
      "select id from domain_events where workspace_id = $1 and resource_id = $2 and activity is not null order by id",
      [home.workspaceId, task.id],
    );
    for (const [at, { id }] of rows.entries())
      await query("update domain_events set occurred_at = $1 where id = $2", [times[at], id]);
    const found = (await groups(home, owner)).filter(({ task_id }) => task_id === task.id);
    expect(found.map(short)).toEqual([
      "resource 2 task.priority_changed",
      "resource 2 task.priority_changed task.created",
    ]);
    expect(found.map(({ id }) => id)).toEqual([rows[2]?.id, rows[0]?.id]);
  });

  test("the revisions of one text are one session, whoever wrote them; what else was done to it stands by itself", async () => {
    const { home, project, owner } = await workshop();
    const member = await home.member("member");
    const task = await newTask(owner, project.id);
    await change(owner, task, { description_markdown: "a" });
    await change(owner, task, { priority: "high" });
    await change(member, task, { description_markdown: "ab" });
    await change(owner, task, { description_markdown: "abc" });
    // Not a revision alone.
    await change(member, task, { description_markdown: "abcd", due_date: "2027-01-01" });
    const found = (await groups(home, owner)).filter(({ task_id }) => task_id === task.id);
    expect(found.map(short)).toEqual([
      "resource 2 task.description_changed task.dates_changed",
      "session 3 task.description_changed",
      "resource 2 task.priority_changed task.created",
    ]);
    expect(found[1]?.actor_ids).toEqual([owner.actorId, member.actorId]);
  });

  test("the revisions of a Document are one session, and what else was done to it is another group", async () => {
    const { home, owner } = await workshop();
    const member = await home.member("member");
    const path = `/workspaces/${home.workspaceId}/documents`;
    const document = (await owner.call("POST", path, { body: { title: "Plan" } })).body;
    for (const [person, markdown] of [
      [owner, "a"],
      [member, "ab"],
      [owner, "abc"],
    ] as const)
      expect(
        (
          await person.call("PUT", `/documents/${document.id}/markdown`, {
            body: { markdown },
            headers: { "if-match": "*" },
          })
        ).status,
      ).toBe(200);
    const found = (await groups(home, owner)).filter(({ resource }) => resource?.id === document.id);
    expect(found.map(short)).toEqual(["session 3 document.content_updated", "resource 1 document.created"]);
    expect(found[0]).toMatchObject({
      actor_ids: [owner.actorId, member.actorId],
      resource: { kind: "document", title: "Plan" },
      project_id: null,
      task_id: null,
    });
    expect(await children(home, owner, found[0] as Group)).toHaveLength(3);
  });

  test("undoing and redoing are commands of their own", async () => {
    const { home, project, owner } = await workshop();
    const task = await newTask(owner, project.id);
    const command = commandOf(await change(owner, task, { priority: "high" }));
    await undo(owner, command);
    await redo(owner, command);
    await change(owner, task, { due_date: "2027-01-01" });
    const found = (await groups(home, owner)).filter(({ task_id }) => task_id === task.id);
    expect(found.map(short)).toEqual([
      "command 1 task.priority_changed",
      "command 1 task.priority_changed",
      "resource 3 task.dates_changed task.priority_changed task.created",
    ]);
    expect(found[0]?.resource?.id).toBe(task.id);
  });
});

describe("who is told", () => {
  test("what somebody does not see is in no group, no count and no headline, as if it had not been", async () => {
    const { home, project, owner } = await workshop();
    const member = await home.member("member");
    const hidden = await newProject(home, { visibility: "private" });
    const [open, closed] = [await newTask(owner, project.id), await newTask(owner, hidden.id)];
    await bulk(home, [open, closed], { priority: "high" });
    await change(owner, open, { due_date: "2027-01-01" });
    await newComment(owner, closed.id);
    // For the owner the command is about two Tasks, for the member about one, like any other change of it.
    const ofOwner = await groups(home, owner);
    expect(ofOwner.map(short)).toEqual([
      "command 2 task.priority_changed",
      "resource 2 task.comment.created task.created",
      "resource 2 task.dates_changed task.created",
      "resource 1 project.created",
      "resource 1 project.created",
    ]);
    const ofMember = await groups(home, member);
    expect(ofMember.map(short)).toEqual([
      "resource 3 task.dates_changed task.priority_changed task.created",
      "resource 1 project.created",
    ]);
    expect(ofMember[0]).toMatchObject({ resource: { id: open.id }, project_id: project.id, task_id: open.id });
    expect(await children(home, member, ofMember[0] as Group)).toHaveLength(3);
    const answer = await member.call("GET", groupsOf(home));
    for (const secret of [hidden.id, closed.id, closed.code, hidden.key]) expect(answer.text).not.toContain(secret);
    // A group that the member does not see, one that there is not, and an event that no feed shows are the same.
    const quiet = await running.sql<{ id: string }>(
      "select id from domain_events where workspace_id = $1 and activity is null limit 1",
      [home.workspaceId],
      home.workspaceId,
    );
    const alien = await world(running);
    await newProject(alien);
    const [foreign] = await groups(alien, alien.owner);
    const ids = [
      (ofOwner[1] as Group).id,
      newId(),
      quiet[0]?.id ?? newId(),
      (foreign as Group).id,
      ofOwner[1]?.items[0]?.id ?? newId(),
    ];
    for (const id of ids)
      expect(refusalOf(await member.call("GET", childrenOf(home, { id }))), id).toEqual([404, "not_found"]);
    // Whoever is let in sees all of it, and whoever is shut out nothing, at once.
    await joinProject(home, hidden.id, member, "viewer");
    expect((await groups(home, member)).map(short)).toEqual(ofOwner.map(short));
    await running.sql("delete from project_members where actor_id = $1", [member.actorId], home.workspaceId);
    expect(await groups(home, member)).toEqual(ofMember);
  });

  test("a Document in no Project is told to everybody; a Task that moved into a private Project has taken its groups along", async () => {
    const { home, project, owner } = await workshop();
    const viewer = await home.member("viewer");
    const hidden = await newProject(home, { visibility: "private" });
    await owner.call("POST", `/workspaces/${home.workspaceId}/documents`, { body: { title: "Plan" } });
    const task = await newTask(owner, project.id);
    expect((await groups(home, viewer)).map(short)).toEqual([
      "resource 1 task.created",
      "resource 1 document.created",
      "resource 1 project.created",
    ]);
    const [{ id }] = (await groups(home, viewer)) as [Group];
    await running.sql("update tasks set project_id = $2 where id = $1", [task.id, hidden.id], home.workspaceId);
    expect((await groups(home, viewer)).map(short)).toEqual([
      "resource 1 document.created",
      "resource 1 project.created",
    ]);
    expect((await viewer.call("GET", childrenOf(home, { id }))).status).toBe(404);
  });

  test("another Workspace's groups do not exist; sessions, personal tokens and developer clients read them, native clients do not", async () => {
    const { home, owner } = await workshop();
    const other = await world(running);
    const [group] = (await groups(home, owner)) as [Group];
    const paths = [groupsOf(home), childrenOf(home, group)];
    // Through one's own Workspace neither.
    for (const path of [...paths, `${groupsOf(other)}/${group.id}/children`])
      expect((await other.owner.call("GET", path)).status, path).toBe(404);
    for (const path of paths) {
      for (const [kind, prefix, expected] of [
        ["personal", "pat", [200]],
        ["developer", "dat", [200]],
        ["native", "nat", [403, "credential_kind_not_allowed"]],
      ] as const) {
        const secret = newSecret(prefix);
        await insertCredential(running, kind, secret, owner.userId, home.workspaceId, ["svc:read"]);
        const answer = await owner.bearer(secret, "GET", path);
        expect([answer.status, answer.body.code].slice(0, expected.length), `${kind} ${path}`).toEqual(expected);
      }
      const token = await home.token(["svc:write"]);
      expect((await owner.bearer(token, "GET", path)).body.code).toBe("insufficient_scope");
      expect((await running.send("GET", path)).status).toBe(401);
    }
  });
});

describe("parameters", () => {
  test("limit is 1 to 100, nothing unknown is taken, and day goes with time_zone", async () => {
    const { home, owner } = await workshop();
    const [group] = (await groups(home, owner)) as [Group];
    for (const path of [groupsOf(home), childrenOf(home, group)]) {
      const ask = async (query: string) => refusalOf(await owner.call("GET", `${path}?${query}`));
      for (const limit of [1, 100]) expect(await ask(`limit=${limit}`)).toEqual([200, undefined]);
      for (const limit of [0, 101, "x"])
        expect(await ask(`limit=${limit}`)).toEqual([400, "invalid_request", "/query/limit"]);
      expect(await ask("kind=command")).toEqual([400, "invalid_request", "/query/kind"]);
      expect(await ask("include=labels")).toEqual([400, "invalid_request", "/query/include"]);
      expect(await ask("day=2026-06-01")).toEqual([400, "invalid_request", "/query/time_zone"]);
      expect(await ask("time_zone=UTC")).toEqual([400, "invalid_request", "/query/day"]);
      expect(await ask("day=2026-06-01&time_zone=Mars/Olympus")).toEqual([400, "invalid_request", "/query/time_zone"]);
    }
    expect(refusalOf(await owner.call("GET", `${groupsOf(home)}/x/children`))).toEqual([
      400,
      "invalid_request",
      "/path/group_id",
    ]);
  });

  test("a cursor is good for its list, its reader, its group and its day alone", async () => {
    const { home, project, owner } = await workshop();
    const member = await home.member("member");
    const [one, two] = [await newTask(owner, project.id), await newTask(owner, project.id)];
    for (const task of [one, two]) await newComment(owner, task.id);
    const [second, first] = (await groups(home, owner)) as [Group, Group];
    const { next_cursor: ofGroups } = (await owner.call("GET", `${groupsOf(home)}?limit=1`)).body;
    const { next_cursor: ofChildren } = (await owner.call("GET", `${childrenOf(home, first)}?limit=1`)).body;
    expect(
      (await owner.call("GET", `${childrenOf(home, first)}?limit=100&cursor=${ofChildren}`)).body.items,
    ).toHaveLength(1);
    const refused = [
      await member.call("GET", `${groupsOf(home)}?cursor=${ofGroups}`),
      await owner.call("GET", `${groupsOf(home)}?cursor=${ofGroups}&day=2026-01-01&time_zone=UTC`),
      await owner.call("GET", `${groupsOf(home)}?cursor=${ofGroups}x`),
      await owner.call("GET", `${groupsOf(home)}?cursor=${ofChildren}`),
      await owner.call("GET", `${feedOf(home)}?cursor=${ofGroups}`),
      await owner.call("GET", `${childrenOf(home, second)}?cursor=${ofChildren}`),
      await member.call("GET", `${childrenOf(home, first)}?cursor=${ofChildren}`),
    ];
    expect(refused.map(({ body }) => body.code)).toEqual(Array(7).fill("invalid_cursor"));
  });

  test("people, Projects and Tasks come along in the same round-trips", async () => {
    const { home, project, owner } = await workshop();
    const member = await home.member("member");
    const task = await newTask(owner, project.id);
    await change(owner, task, { description_markdown: "a" });
    await change(member, task, { description_markdown: "b" });
    const [session] = (await groups(home, owner)) as [Group];
    for (const path of [`${groupsOf(home)}?limit=1`, `${groupsOf(home)}/${session.id}/children?limit=100`]) {
      const { body, trips } = await owner.call("GET", `${path}&include=people,project,task`);
      expect(trips).toBe(1);
      const { actors, projects, tasks } = body.included;
      expect(Object.keys(actors).sort()).toEqual([owner.actorId, member.actorId].sort());
      expect([Object.keys(projects), Object.keys(tasks)]).toEqual([[project.id], [task.id]]);
    }
  });
});
