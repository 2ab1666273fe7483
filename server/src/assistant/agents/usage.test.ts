// Usage of an Agent's runs, by day.
import { expect, test } from "vitest";
import { plantDefinition } from "../../../test/agents.ts";
import { refusalOf } from "../../../test/work.ts";
import { service, type World, world } from "../../../test/world.ts";
import { inWorkspace } from "../../platform/background/jobs.ts";
import { addUsage } from "./store.ts";

const running = service();
const pathOf = ({ workspaceId }: World, id: string, part: string) =>
  `/workspaces/${workspaceId}/agents/studio/definitions/${id}/${part}`;
const DAY = 86_400_000;
const dayAgo = (days: number) => new Date(Date.now() - days * DAY).toISOString().slice(0, 10);

test("usage is told for every day of a stretch, the last 30 days unless somebody says", async () => {
  const home = await world(running);
  const { id } = await plantDefinition(running, home.workspaceId, home.owner.actorId);
  await inWorkspace(running.database.writer, home.workspaceId, (tx) =>
    addUsage(tx, id, { runs: 2, inputTokens: 1500, outputTokens: 500 }),
  );
  const used = { runs: 2, input_tokens: 1500, output_tokens: 500, cost: 3.5 };
  const { body, trips } = await home.owner.call("GET", pathOf(home, id, "usage"));
  expect([body.days.length, body.days[0].date, trips <= 2]).toEqual([30, body.from_date, true]);
  expect([body.days.at(-1), body.total]).toEqual([{ date: body.to_date, ...used }, used]);
  const stretch = await home.owner.call("GET", pathOf(home, id, `usage?from_date=${dayAgo(9)}&to_date=${dayAgo(3)}`));
  expect([stretch.body.days.length, stretch.body.total.runs]).toEqual([7, 0]);
});

test("a stretch is at most 366 days, and does not end before it begins", async () => {
  const home = await world(running);
  const { id } = await plantDefinition(running, home.workspaceId, home.owner.actorId);
  const asked = (from: string, to: string) =>
    home.owner.call("GET", pathOf(home, id, `usage?from_date=${from}&to_date=${to}`));
  expect((await asked("2024-01-01", "2024-12-31")).body.days).toHaveLength(366);
  expect(refusalOf(await asked("2023-12-31", "2024-12-31"))).toEqual([422, "invalid_dates", "/query/from_date"]);
  expect(refusalOf(await asked("2024-01-02", "2024-01-01"))).toEqual([422, "invalid_dates"]);
  expect((await asked("2024-01-01", "2024-01-01")).body.days).toHaveLength(1);
});
