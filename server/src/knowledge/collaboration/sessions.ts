// Sessions: who may open a socket to a text, and until when. The first session of a text creates it.
import type { Capability } from "@svc/contract/capabilities.ts";
import * as contract from "@svc/contract/knowledge/collaboration/sessions.ts";
import { capabilities, documentCapabilities } from "../../planning/projects/access.ts";
import { insideTask } from "../../planning/tasks/access.ts";
import {
  type Context,
  type EffectsContext,
  implement,
  implementWithEffects,
} from "../../platform/kernel/implement-operation.ts";
import { newId, newSecret, sha256 } from "../../platform/wire/ids.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { insideDocument } from "../documents/access.ts";
import { nameOf } from "./access.ts";
import { COLLABORATION_PATH } from "./rules.ts";
import { beginText, type EditedKind, endSession, insertSession, type TextPlace, textExists } from "./store.ts";
import { targets } from "./targets.ts";
import { stateFor } from "./yjs/rich-text.ts";

/** The initial state of a text, computed before the transaction; null if the text exists. */
async function beginningOf({ read }: EffectsContext, kind: EditedKind, place: TextPlace) {
  const [exists, now] = await read((tx) => Promise.all([textExists(tx, place), targets[kind].read(tx, place)]));
  if (exists || !now) return null;
  return { state: stateFor(await targets[kind].nodeOf(now.text, place)), tag: now.tag };
}

async function openSession(context: EffectsContext, kind: EditedKind, targetId: string, capabilities: Capability[]) {
  const { member, principal, outside } = context;
  const place = { workspaceId: member.workspaceId, targetId };
  const beginning = await beginningOf(context, kind, place);
  const token = newSecret("col");
  return context.finish(async ({ tx }) => {
    const id = newId();
    if (beginning) await beginText(tx, kind, place, beginning.state, beginning.tag);
    const session = { id, ...place, actorId: member.actorId, credentialId: principal?.credentialId as string };
    const { expires_at } = await insertSession(tx, session, sha256(token));
    const url = `${outside.origin().replace(/^http/, "ws")}${COLLABORATION_PATH}`;
    return { id, url, token, document_name: nameOf(kind, place), expires_at, capabilities };
  });
}

async function closeSession({ tx, member }: Context, targetId: string, sessionId: string) {
  const place = { workspaceId: member.workspaceId, targetId };
  if (!(await endSession(tx, place, sessionId, member.actorId))) refuse("not_found");
}

export const openTaskSession = implementWithEffects(
  contract.openTaskSession,
  insideTask("work:read"),
  async (context, { target }) => {
    if (target.trashed) refuse("task_trashed");
    return openSession(context, "task", target.id, capabilities(context, target));
  },
);

export const endTaskSession = implement(
  contract.endTaskSession,
  insideTask("work:read"),
  async (context, { target, params }) => closeSession(context, target.id, params.session_id),
);

export const openDocumentSession = implementWithEffects(
  contract.openDocumentSession,
  insideDocument("documents:read"),
  async (context, { target }) => {
    if (target.trashed) refuse("document_trashed");
    return openSession(context, "document", target.id, documentCapabilities(context, target));
  },
);

export const endDocumentSession = implement(
  contract.endDocumentSession,
  insideDocument("documents:read"),
  async (context, { target, params }) => closeSession(context, target.id, params.session_id),
);
