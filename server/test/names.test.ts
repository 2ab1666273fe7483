// Names that others see, wherever one is sent: what turns the text around it and what nobody sees is refused with a
// pointer at the name. The list of fields comes from the contract, so that a new one is looked at too.
import { operations } from "@svc/contract/operations.ts";
import type { TSchema } from "typebox";
import { expect, test } from "vitest";
import { reserve } from "./attachments.ts";
import { newProject, newTask } from "./work.ts";
import { newKey, service, world } from "./world.ts";

const running = service();
const names = ["A\u202eB", "A\u200bB", "A\u2066B\u2069", "Pay\u200cpal", "\u2060", "\u3164", "A\u00adB"];

test("each short name in a body is of the kind that hides nothing", () => {
  const named = /^(?:name|display_name|client_name|device_name|filename)$/;
  const other = [...operations.values()].flatMap(({ id, schemas }) =>
    Object.entries((schemas.body as { properties?: Record<string, TSchema> } | undefined)?.properties ?? {})
      .filter(([field]) => named.test(field))
      .filter(([, schema]) => !["name", "plain"].includes((schema as { format?: string }).format ?? ""))
      .map(([field]) => `${id} ${field}`),
  );
  expect(other).toEqual([]);
});

test("a name that hides something is refused, with a pointer at it", async () => {
  const home = await world(running);
  const { owner, workspaceId } = home;
  const project = await newProject(home);
  for (const name of names) {
    const sent = [
      await owner.call("PATCH", "/me", { body: { display_name: name }, ifMatch: '"1"' }),
      await owner.call("PATCH", `/projects/${project.id}`, { body: { name }, ifMatch: '"1"' }),
      await owner.call("POST", `/workspaces/${workspaceId}/projects`, { body: { name, key: "HID" }, key: newKey() }),
      await owner.call("POST", `/projects/${project.id}/milestones`, { body: { name }, key: newKey() }),
      await reserve(owner, Buffer.from("x"), { filename: name }),
    ];
    for (const { status, body } of sent)
      expect([status, body.code, body.errors?.[0]?.pointer]).toEqual([
        400,
        "invalid_request",
        expect.stringMatching(/^\/body\/(?:name|display_name|filename)$/),
      ]);
  }
  expect(
    (
      await owner.call("POST", `/projects/${project.id}/milestones`, {
        body: { name: "\u{1f469}\u200d\u{1f4bb} می\u200cخواهم" },
        key: newKey(),
      })
    ).status,
  ).toBe(201);
});

test("the title of a Task is somebody's own words and kept as it is", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const title = "Read \u2067שלום\u2069 aloud";
  expect((await newTask(home.owner, project.id, { title })).title).toBe(title);
});
