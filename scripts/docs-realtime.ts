// Generates the page about the realtime socket from the contract: authentication, every frame with its fields and an
// example, every code and every limit.
import { type Frame, frames, scopes } from "@svc/contract/surfaces/realtime/frames.ts";
import * as said from "@svc/contract/surfaces/realtime/limits.ts";
import { section } from "./docs-frames.ts";
import { NOTE, table } from "./docs-pages.ts";

const { bounds, endings, limits, PROTOCOL } = said;
const words = (catalogue: Record<string, string>) =>
  Object.entries(catalogue).map(([code, text]) => [`\`${code}\``, text]);

const sections = (from: Frame["from"]) =>
  frames
    .filter((frame) => frame.from === from)
    .map(section)
    .join("\n");

const boundsTable = () =>
  table(
    ["Bound", "Of what", "One more"],
    Object.values(bounds).map(({ most, what, beyond }) => [String(most), what, beyond]),
  );

export const realtimePage = () => `${NOTE}
# Realtime

Upcoming: it may still change. \`GET /api/v1/realtime\` becomes a WebSocket that speaks \`${PROTOCOL}\`. The same, for programs: \`/api/v1/asyncapi.json\` (AsyncAPI 3).

## Getting in

Everything is decided before the upgrade; what is refused is a problem document with 400, 401, 403, 429 or 503, the last two with \`Retry-After\`.

| Who | Sends | Follows |
|---|---|---|
| browser | the session's cookie and the Origin of the service; no Authorization | everything of the session's Workspace; without one, account and account_security |
| native client | \`Authorization: Bearer svc_nat_…\`; no Origin, no Cookie; \`X-Svc-Workspace-ID\` or not | everything of that Workspace; without the header account and account_security |
| IDE (svc-ide-a, svc-ide-b) | \`Authorization: Bearer svc_dat_…\` with svc:read; no Origin, no Cookie; the header may repeat the grant's Workspace | workspace, projects and task_comments |

All send \`Sec-WebSocket-Protocol: ${PROTOCOL}\`, and nothing in the query. Other tokens open no socket.

## Following

1. Read a baseline: \`GET /realtime/baseline\`, or any read that takes \`X-Svc-Realtime-Baseline\`. It has a cursor.
2. \`subscribe\` to a scope (${scopes.join(", ")}) with it. \`subscribed\` says that it is followed; \`reset\` that you need a new baseline, and why.
3. A \`change\` names what has changed, and no content: read it again, then \`ack\` the cursor of the change. What you see is asked at the time of sending.
4. After a \`bye\`, or a connection that is lost, connect again after \`retry_after\` seconds and subscribe with the last cursors that you applied. Nothing is missed; some of it may come twice.

A cursor is good for 72 hours, for you, the session or the grant that it was given to, the Workspace and the scope. A token that ends takes nothing with it: the next one of the same grant goes on.

## Presence

\`presence_renew\` says that you are there, \`presence_observe\` asks about up to ${limits.observed_users} members. Both name a workspace subscription and a cursor of it that you have acknowledged. \`presence\` always has
all of those whom you observe; \`presence_unknown\` takes back what you knew.

## What you send

${sections("client")}
## What you hear

${sections("server")}
## Why a socket is closed

${table(
  ["bye", "Closed with", "Meaning"],
  Object.entries(endings).map(([code, { close, detail }]) => [`\`${code}\``, String(close), detail]),
)}

## Errors of a frame

The frame did nothing, and the socket stays open.

${table(["code", "What to do"], words(said.frameErrors))}

## Reasons

${table(["reset", "Why"], words(said.resetReasons))}

${table(["presence_unknown", "Why"], words(said.unknownReasons))}

## Bounds

${boundsTable()}
`;
