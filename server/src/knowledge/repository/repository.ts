// The connection to the knowledge repository: read, created, changed, paused and ended. Requests contact nothing
// outside but the DNS resolver: the next run shows whether the connection works.
import * as contract from "@svc/contract/knowledge/repository/repository.ts";
import type { PolicyTarget } from "../../accounts/workspaces/access.ts";
import { managing } from "../../accounts/workspaces/rules.ts";
import { differing } from "../../platform/database/sql.ts";
import { type EffectsContext, implement, implementWithEffects } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { refuse, refuseAt } from "../../platform/wire/problem.ts";
import { connection, MANAGE } from "./access.ts";
import { repositoryConnected, repositoryDisconnected, repositoryUpdated } from "./events.ts";
import { sealedFor } from "./rules.ts";
import * as store from "./store.ts";

export const getKnowledgeRepository = implement(
  contract.getKnowledgeRepository,
  connection(),
  async ({ member }, { target }) => render(target, managing(member.role, MANAGE)),
);

/** The current connection with its credential. */
interface Connected {
  state: string;
  branch: string | null;
  folder: string | null;
  credential: string | null;
}
async function connectedNow({ read, outside, member }: EffectsContext, { json }: PolicyTarget): Promise<Connected> {
  const kept = await read(store.findCredential);
  const credential = kept && outside.secrets.open(kept, sealedFor(member.workspaceId));
  return { ...JSON.parse(json), credential };
}
const sealed = ({ outside, member }: EffectsContext, credential: string | null) =>
  credential === null ? null : outside.secrets.seal(credential, sealedFor(member.workspaceId));
const REFUSED = "must be an https address of the public internet, or of an origin that GIT_ALLOW names";
const changedMeanwhile = (): never => refuse("revision_conflict");

export const connectKnowledgeRepository = implementWithEffects(
  contract.connectKnowledgeRepository,
  connection(),
  async (context, { target, body }) => {
    const { member } = context;
    const { branch = "main", folder = "", direction = "both", root_document_id = null, username = null } = body;
    const { url, credential = null } = body;
    if ((await context.outside.git.refusesNow(url)) !== null)
      refuseAt("/body/url", "invalid_request", REFUSED, "address_refused");
    const wanted = { url, branch, folder, direction, root_document_id, username };
    const before = await connectedNow(context, target);
    const isSame = differing({ ...wanted, credential, state: "active" }, before as never) === null;
    const connecting = {
      ...wanted,
      sealed_credential: sealed(context, credential),
      connected_by_actor_id: member.actorId,
    };
    return context.finish(async ({ tx, record }) => {
      if (isSame) return render(target, managing(member.role, MANAGE));
      const [root, row] = await Promise.all([
        root_document_id && store.findRoot(tx, root_document_id),
        store.connect(tx, target.revision, connecting),
      ]);
      if (root_document_id && !root)
        refuseAt(
          "/body/root_document_id",
          "invalid_reference",
          "must be a Document that every member of the Workspace sees",
        );
      record(repositoryConnected({ kind: "workspace", id: member.workspaceId }, { direction, root_document_id }));
      return render(row ?? changedMeanwhile(), managing(member.role, MANAGE));
    });
  },
);

export const updateKnowledgeRepository = implementWithEffects(
  contract.updateKnowledgeRepository,
  connection(),
  async (context, { target, body }) => {
    const { member } = context;
    const before = await connectedNow(context, target);
    if (before.state === "disconnected") refuse("repository_inactive");
    const changed = differing(body, before as never);
    const { credential, ...rest } = (changed ?? {}) as typeof body;
    const written = { ...rest, ...(credential !== undefined && { sealed_credential: sealed(context, credential) }) };
    const anew = rest.branch !== undefined || rest.folder !== undefined;
    return context.finish(async ({ tx, record }) => {
      if (changed === null) return render(target, managing(member.role, MANAGE));
      const row = await store.update(tx, target.revision, written, anew);
      const subject = { kind: "workspace", id: member.workspaceId };
      if (body.state === "disconnected") record(repositoryDisconnected(subject));
      else record(repositoryUpdated(subject, { fields: Object.keys(changed).sort() }));
      return render(row ?? changedMeanwhile(), managing(member.role, MANAGE));
    });
  },
);
