// A published Document and the files in its content, as anybody reads them. The answer does not reveal why something is
// not shown.
import * as contract from "@svc/contract/knowledge/documents/publication/publication.ts";
import { isGiven, isShown, PUBLIC_URL_SECONDS } from "../../../planning/attachments/rules.ts";
import { type EffectsContext, implementWithEffects, open } from "../../../platform/kernel/implement-operation.ts";
import { PICTURE } from "../../../platform/outside/picture.ts";
import { refuse } from "../../../platform/wire/problem.ts";
import { publicContent } from "./rules.ts";
import * as store from "./store.ts";

async function find({ read }: EffectsContext, publicId: string) {
  return (await read((tx) => store.findPublication(tx, publicId))) ?? refuse("not_found");
}

export const getPublicDocument = implementWithEffects(
  contract.getPublicDocument,
  open(),
  async (context, { params: { public_id } }) => {
    const { id, workspace_id } = await find(context, public_id);
    const [found, names] = await context.read(
      (tx) => Promise.all([store.readPublished(tx, id, public_id), store.namesOutside(tx, id)]),
      workspace_id,
    );
    if (!found) return refuse("not_found");
    const outside = new Map(names.map(({ key, ...name }) => [key, name]));
    const content = publicContent(JSON.parse(found.content), outside) as unknown as Record<string, unknown>;
    return { public_id, ...found, content };
  },
);

const withheld = { pending: "scan_pending", infected: "attachment_infected", failed: "scan_failed" } as const;
async function fileOf(context: EffectsContext, params: { public_id: string; attachment_id: string }) {
  const { id, workspace_id } = await find(context, params.public_id);
  const file = await context.read((tx) => store.readFile(tx, id, params.public_id, params.attachment_id), workspace_id);
  if (!file) return refuse("not_found");
  if (!isGiven(file.scan_state)) refuse(withheld[file.scan_state]);
  return file;
}
/**
 * An address of this service, which checks the publication at each request: a signed address of the storage would
 * outlive it, and would contain the Workspace's id.
 */
async function give({ outside, finish }: EffectsContext, path: string, content_type: string) {
  const expires_at = new Date(Date.now() + PUBLIC_URL_SECONDS * 1000).toISOString();
  return finish(async () => ({ url: `${outside.origin()}${path}`, content_type, expires_at }));
}
const pathOf = ({ public_id, attachment_id }: { public_id: string; attachment_id: string }) =>
  `/p/${public_id}/files/${attachment_id}`;

export const downloadPublicAttachment = implementWithEffects(
  contract.downloadPublicAttachment,
  open(),
  async (context, { params }) => {
    const file = await fileOf(context, params);
    return give(context, `${pathOf(params)}?save=1`, file.content_type);
  },
);
export const previewPublicAttachment = implementWithEffects(
  contract.previewPublicAttachment,
  open(),
  async (context, { params }) => {
    const file = await fileOf(context, params);
    if (!isShown(file)) refuse("preview_unavailable");
    return give(context, pathOf(params), file.has_thumbnail ? PICTURE.type : file.content_type);
  },
);
