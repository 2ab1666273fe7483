// Writes of the largest Documents: their size decides whether they are accepted, not how busy the machine is.
import { expect, onTestFinished, test } from "vitest";
import { newDocument } from "../../../test/documents.ts";
import { service, world } from "../../../test/world.ts";
import { timeouts } from "../../platform/database/db.ts";

const running = service();

test("65,536 list items get 200 where any other request would have run out of time", async () => {
  const home = await world(running);
  const { id } = await newDocument(home);
  const original = { ...timeouts };
  onTestFinished(() => void Object.assign(timeouts, original));
  Object.assign(timeouts, { requestMs: 1, largeRequestMs: 600_000 });
  const markdown = "- a\n".repeat(65_536);
  const options = { body: { markdown }, headers: { "if-match": "*" }, once: true } as const;
  expect((await home.owner.call("PUT", `/documents/${id}/markdown`, options)).status).toBe(200);
});
