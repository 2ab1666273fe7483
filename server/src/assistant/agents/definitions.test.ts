// Agent definitions: the list has the curated ones first, then those that the Workspace published.
import { expect, test } from "vitest";
import { plantDefinition } from "../../../test/agents.ts";
import { service, world } from "../../../test/world.ts";
import { curated } from "./curated-agents.ts";

const running = service();

test("the list of what can be enabled has the curated ones first, then what is published, page by page", async () => {
  const home = await world(running);
  const at = `/workspaces/${home.workspaceId}/agents/definitions`;
  const own = await plantDefinition(running, home.workspaceId, home.owner.actorId);
  const body = { name: "Greeter", instructions: "Greet.", tools: ["find"] };
  await home.owner.call("POST", `/workspaces/${home.workspaceId}/agents/studio/definitions`, { body });
  const expected = [...curated.map(({ id }) => id), own.id];
  const found: string[] = [];
  let cursor = "";
  do {
    const { body: page } = await home.owner.call("GET", `${at}?limit=2${cursor && `&cursor=${cursor}`}`);
    found.push(...page.items.map(({ id }: { id: string }) => id));
    cursor = page.next_cursor ?? "";
  } while (cursor);
  expect(found).toEqual(expected);
  const enabled = await home.owner.call("POST", `/workspaces/${home.workspaceId}/agents`, {
    body: { definition_id: curated[0]?.id },
  });
  const { items } = (await home.owner.call("GET", at)).body;
  expect(items[0]).toMatchObject({ curated: "triage", agent_id: enabled.body.id, every_project: true });
  expect(items.at(-1)).toMatchObject({ curated: null, agent_id: null, translations: [] });
});
