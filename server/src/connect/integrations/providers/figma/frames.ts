// Frames that a text links to. Answers follow @figma/rest-api-spec 0.33.0 (GetFileNodesResponse), unverified against
// the service itself.
import type { ConnectionAdapter, ProviderDefinition } from "../../client/provider.ts";
import { ProviderFault } from "../../client/provider-http.ts";
import { fieldsOf, textOf } from "../untrusted-fields.ts";

const LINK =
  /https:\/\/(?:www\.)?figma\.com\/(?:file|design|proto|board)\/([A-Za-z0-9]{10,60})(?:\/[^\s?#)\]>"]{0,500})?\?([^\s#)\]>"]{1,500})/g;
const KEY = /^[A-Za-z0-9]{10,60}$/;
const NODE = /^\d{1,12}[:-]\d{1,12}$/;
const MOST_LINKS = 20;

/** Distinct links, each as the key of the file and the id of the frame. */
export const links: ProviderDefinition["links"] = (text) => {
  const found = [...text.matchAll(LINK)].flatMap(([, key = "", query = ""]) => {
    const node = new URLSearchParams(query.replaceAll("&amp;", "&")).get("node-id") ?? "";
    return NODE.test(node) ? [`${key}/${node.replace("-", ":")}`] : [];
  });
  return [...new Set(found)].slice(0, MOST_LINKS).map((externalId) => ({ kind: "frame", externalId }));
};

/** Present names of the file and of the frame; null if the file does not have the frame any more. */
export const look: ConnectionAdapter["look"] = async (ask, _resource, { externalId }) => {
  const [key = "", node = ""] = externalId.split("/");
  if (!KEY.test(key) || !NODE.test(node)) throw new ProviderFault("resource_missing");
  const { body } = await ask("GET", `/v1/files/${key}/nodes?ids=${encodeURIComponent(node)}&depth=1`);
  const { name, lastModified, nodes } = fieldsOf(body);
  const title = textOf(fieldsOf(fieldsOf(fieldsOf(nodes)[node]).document).name, 200);
  if (title === "") return null;
  const changed = Date.parse(textOf(lastModified, 40));
  return {
    kind: "frame",
    externalId,
    state: "current",
    title: `${textOf(name, 200)} / ${title}`,
    url: `https://www.figma.com/design/${key}?node-id=${node.replace(":", "-")}`,
    changedAt: new Date(Number.isNaN(changed) ? Date.now() : changed).toISOString(),
  };
};
