// Everything that is done to one Document finds what it touches by an index, beside 20,000 others and in a line of
// 3,000. Part of explain.slow.test.ts, because loading them takes longer than asking.
import { expect, test } from "vitest";
import { attach, newAttachment } from "./attachments.ts";
import { commandOf, undo } from "./commands.ts";
import { newDocument } from "./documents.ts";
import { explaining } from "./explained.ts";
import { firstDocument } from "./explained-documents.ts";
import { newProject } from "./work.ts";
import { newKey } from "./world.ts";

const { running, seen, explainUndone, allFaultsOf } = explaining();

test("a Document is made, found, moved, renamed, labelled, thrown away, restored and deleted by an index", async () => {
  const { home } = seen.loaded;
  // The one with the rows has no room for one more label.
  const { id: projectId } = await newProject(home);
  const { workspaceId, owner } = home;
  const first = await firstDocument(running, workspaceId);
  const label = await owner.call("POST", `/projects/${projectId}/label-definitions`, {
    body: { name: "Own", purpose: "document" },
  });
  const top = await newDocument(home, { title: "Top", project_id: projectId });
  const child = await newDocument(home, { title: "Child", parent_id: top.id, label_ids: [label.body.id] });
  const file = await newAttachment(owner);
  const patch = (id: string, body: object) =>
    owner.call("PATCH", `/documents/${id}`, { body, headers: { "if-match": "*" } });
  const found = (path: string) => owner.call("GET", `/workspaces/${workspaceId}/documents/by-path/${path}`);
  seen.recorded = [];
  const moved = await patch(top.id, { parent_id: first });
  const answers = [
    moved,
    await undo(owner, commandOf(moved)),
    await owner.call("POST", `/workspaces/${workspaceId}/documents`, {
      body: { title: "Made", parent_id: first },
      key: newKey(),
    }),
    await owner.call("GET", `/documents/${child.id}`),
    await found("document-1"),
    await found("left"),
    await found("left-77"),
    await patch(top.id, { title: "Other", icon: "x" }),
    await patch(top.id, { project_id: null }),
    await patch(top.id, { published: true, archived: true }),
    await owner.call("PATCH", `/documents/${child.id}`, { body: { after_document_id: null } }),
    await owner.call("GET", `/document/${child.id}/labels`),
    await owner.call("PUT", `/document/${child.id}/labels`, { body: { label_ids: [] }, headers: { "if-match": "*" } }),
    await attach(owner, `/documents/${child.id}`, file.id),
    await owner.call("GET", `/attachments/${file.id}`),
    await owner.call("DELETE", `/documents/${top.id}`),
    await owner.call("POST", `/documents/${top.id}/restore`, { headers: { "if-match": "*" } }),
    await owner.call("DELETE", `/documents/${top.id}`),
    await owner.call("DELETE", `/documents/${top.id}/permanent`),
  ];
  expect(answers.map(({ status }) => status)).toEqual([
    ...[200, 200, 201, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 201, 200, 204, 200, 204, 204],
  ]);
  const statements = new Map(seen.recorded.map((statement) => [statement.sql, statement]));
  for (const statement of statements.values())
    expect.soft(allFaultsOf(await explainUndone(statement), statement.sql), statement.sql).toEqual([]);
});

test("a Document is linked, published, offered to be mentioned, and read on the command line by an index, beside 20,000 links at either end", async () => {
  const { home, reader, task, milestone } = seen.loaded;
  const { workspaceId, owner } = home;
  const [first, made] = [await firstDocument(running, workspaceId), await newDocument(home, { title: "Linked" })];
  const token = await home.token();
  const publishing = { body: { published: true }, headers: { "if-match": "*" } };
  const { public_id } = (await owner.call("PATCH", `/documents/${made.id}`, publishing)).body;
  const links = (id: string) => `/documents/${id}/links`;
  seen.recorded = [];
  const linked = await owner.call("POST", `${links(made.id)}/task/${task.id}`);
  const answers = [
    linked,
    await undo(owner, commandOf(linked)),
    await owner.call("POST", `${links(made.id)}/milestone/${milestone.id}`),
    await owner.call("DELETE", `${links(made.id)}/milestone/${milestone.id}`),
    await owner.call("POST", `${links(first)}/milestone/${milestone.id}`),
    await owner.call("GET", `/workspaces/${workspaceId}/tasks/${task.id}/context?profile=full`),
    ...(await Promise.all(
      ["", "?q=document", "?q=p1", "?q=task%2012", `?q=${task.code}`, `?q=${task.code.split("-")[0]}-M1`].flatMap(
        (query) =>
          [owner, reader].map((person) => person.call("GET", `/workspaces/${workspaceId}/reference-options${query}`)),
      ),
    )),
    await owner.call("GET", `/public/documents/${public_id}`),
    await owner.bearer(token, "GET", "/cli/documents/document-1"),
    await owner.bearer(token, "GET", "/cli/documents/left"),
  ];
  expect(answers.map(({ status }) => status)).toEqual([201, 200, 201, 204, 201, ...answers.slice(5).map(() => 200)]);
  const statements = new Map(seen.recorded.map((statement) => [statement.sql, statement]));
  for (const statement of statements.values())
    expect.soft(allFaultsOf(await explainUndone(statement), statement.sql), statement.sql).toEqual([]);
});

test("what a Document says is written, read, restored and compared by an index, with all that it mentions", async () => {
  const { home, projectId, task, milestone } = seen.loaded;
  const { workspaceId, owner } = home;
  const first = await firstDocument(running, workspaceId);
  const { id } = await newDocument(home, { title: "Saying" });
  const file = await newAttachment(owner);
  await attach(owner, `/documents/${id}`, file.id);
  const names = [
    ...[
      `task/${task.code}`,
      `task/${task.id}`,
      `milestone/${milestone.id}`,
      `project/${projectId}`,
      `document/${first}`,
    ],
    ...["document/document-1", "project/NONE", "milestone/NO-M1", `person/${owner.actorId}`, "person/nobody"],
  ];
  const markdown = names.map((name) => `[x](svc:${name})`).join(" ");
  const put = (form: string, body: object) =>
    owner.call("PUT", `/documents/${id}/${form}`, { body, headers: { "if-match": "*" } });
  seen.recorded = [];
  const { body } = await owner.call("GET", `/documents/${id}/content`);
  const answers = [
    await owner.call("POST", `/workspaces/${workspaceId}/documents`, {
      body: { title: "Made", markdown },
      key: newKey(),
    }),
    await put("markdown", { markdown: `${markdown} ![x](attachment:${file.id})` }),
    await put("content", { content: body.content }),
    await owner.call("GET", `/documents/${id}/markdown`),
    await owner.call("GET", `/documents/${id}/revisions/2`),
    await owner.call("POST", `/documents/${id}/revisions/2/restore`, { headers: { "if-match": "*" } }),
    await owner.call("GET", `/documents/${id}/revisions/compare?from=1&to=2`),
  ];
  expect(answers.map(({ status }) => status)).toEqual([201, 200, 200, 200, 200, 200, 200]);
  const statements = new Map(seen.recorded.map((statement) => [statement.sql, statement]));
  for (const statement of statements.values())
    expect.soft(allFaultsOf(await explainUndone(statement), statement.sql), statement.sql).toEqual([]);
});
