// Attachments in a text: images render as previews, other files as download buttons. Both request a URL on demand,
// because it expires after five minutes.
import { attachmentOf } from "@svc/document/attributes.ts";
import { useEffect, useState } from "react";
import { useReplica } from "../store/react.ts";
import type { Replica } from "../store/replica.ts";
import { Icon } from "../ui/icons.tsx";

export const attachmentIn = (src: unknown) => attachmentOf(String(src));

const GOOD_FOR_MS = 4 * 60_000;
const kept = new Map<string, { url: Promise<string>; until: number }>();
/** Preview URL of an image, cached while it is valid. */
export function previewOf({ api }: Replica, attachment_id: string): Promise<string> {
  const known = kept.get(attachment_id);
  if (known && known.until > Date.now()) return known.url;
  const url = api.previewAttachment({ attachment_id }).then((answer) => answer.url);
  kept.set(attachment_id, { url, until: Date.now() + GOOD_FOR_MS });
  url.catch(() => kept.delete(attachment_id));
  return url;
}

/** Preview URL of an image; undefined while it loads, null if there is none. */
export function usePreview(id: string): string | null | undefined {
  const replica = useReplica();
  const [url, setUrl] = useState<string | null>();
  useEffect(() => {
    let current = true;
    previewOf(replica, id).then(
      (found) => current && setUrl(found),
      () => current && setUrl(null),
    );
    return () => {
      current = false;
    };
  }, [replica, id]);
  return url;
}

export async function save({ api }: Replica, attachment_id: string) {
  const { url } = await api.downloadAttachment({ attachment_id });
  const link = document.createElement("a");
  link.href = url;
  link.download = "";
  link.click();
}

export function AttachedPicture({ id, alt }: { id: string; alt: string }) {
  const url = usePreview(id);
  if (url === null) return <AttachedFile id={id} name={alt} />;
  return url ? (
    <img src={url} alt={alt} className="rich-picture" />
  ) : (
    <span aria-hidden="true" className="rich-waiting" />
  );
}

export function AttachedFile({ id, name }: { id: string; name: string }) {
  const replica = useReplica();
  return (
    <button type="button" className="rich-file" onClick={() => void save(replica, id).catch(() => {})}>
      <Icon name="file" className="size-3.5" />
      {name}
    </button>
  );
}
