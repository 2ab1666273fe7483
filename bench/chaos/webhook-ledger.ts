// A webhook endpoint that accepts every delivery, and the comparison with the journal: each event that it subscribes to
// must be queued once, and received under the id of its delivery.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type pg from "pg";
import { newId } from "../../server/src/platform/wire/ids.ts";
import type { Data } from "../data.ts";
import type { Verdict } from "./check.ts";
import { untilNone } from "./patience.ts";
import type { Site } from "./site.ts";

const ACTIONS = ["task.created", "task.updated", "task.description_changed"];
const EXPECTED = `
select e.id, e.type, d.id as delivery_id, d.state from domain_events e
join webhook_endpoints w on w.workspace_id = e.workspace_id and w.id = $2 and e.occurred_at >= w.enabled_at
left join webhook_deliveries d on d.workspace_id = e.workspace_id and d.endpoint_id = w.id and d.event_id = e.id
where e.workspace_id = $1 and e.type = any($3)`;

export async function startReceiver() {
  const received = new Map<string, number>();
  const server = createServer(async (request, response) => {
    response.on("error", () => {});
    await buffer(request).catch(() => {});
    const id = String(request.headers["webhook-id"]);
    received.set(id, (received.get(id) ?? 0) + 1);
    response.end();
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    received,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

export async function recordWebhooks(
  client: pg.Pool,
  site: Site,
  data: Data,
  { origin, received }: Awaited<ReturnType<typeof startReceiver>>,
) {
  const key = newId();
  const { id } = await site.persist(data, (call) =>
    call<{ id: string }>(
      ...(["POST", "webhook-endpoints", { name: "Chaos", url: `${origin}/hook`, actions: ACTIONS }] as const),
      { "idempotency-key": key },
    ),
  );
  const expected = async () => (await client.query(EXPECTED, [data.workspaceId, id, ACTIONS])).rows;
  const isMissing = (row: { delivery_id: string | null; state: string | null }) =>
    row.delivery_id === null || row.state !== "delivered" || !received.has(row.delivery_id);
  let events = 0;
  return {
    /** Waits until everything has arrived, and reports what is missing when progress ends. */
    async judge(found: Verdict["found"]) {
      let missing: Awaited<ReturnType<typeof expected>> = [];
      await untilNone(async () => {
        const rows = await expected();
        events = rows.length;
        missing = rows.filter(isMissing);
        return missing.length;
      });
      for (const { id: event, type, delivery_id, state } of missing)
        found["changes missed"].push(
          delivery_id === null
            ? `${type} ${event} was never queued`
            : `${type} ${event} is ${state}, and never arrived`,
        );
    },
    counts: () => ({
      "webhook events": events,
      "  sent again": [...received.values()].filter((times) => times > 1).length,
    }),
  };
}
