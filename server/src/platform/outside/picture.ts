// Sanitises pictures that people upload: decodes each with the one decoder of its format, scales it down and encodes it
// anew, so that nothing of the file itself is ever shown. Refuses a picture that does not decode completely or is too
// large, and any other file; SVG is never parsed. Processes one at a time: measured, a PNG of 40 megapixels takes 90 MB
// and a core for 2.5 seconds, a photograph of 12 megapixels 0.1 seconds.
import type { TaskList } from "graphile-worker";
import type { Pool, Queries } from "../database/db.ts";
import { newId } from "../wire/ids.ts";
import { gate } from "../wire/limits/concurrency-limit.ts";
import { refuse } from "../wire/problem.ts";
import type { ExternalSystems, Storage } from "./external-systems.ts";

export const PICTURE = { type: "image/webp", width: 512, height: 512 } as const;
const MOST_PIXELS = 40_000_000;
/** Only a busy machine takes this long, because the number of pixels is limited. */
const DECODE_SECONDS = 20;
const URL_SECONDS = 5 * 60;

/** Shared by person: one person alone may have eight waiting. */
const inTurn = gate(1, 12);
let loading: Promise<typeof import("sharp").default> | undefined;

/**
 * Loads the library at its first use: it takes 30 ms and 20 MB. Only these four formats are enabled, whatever else the
 * library can read.
 */
function decoder() {
  loading ??= import("sharp").then(({ default: sharp }) => {
    sharp.concurrency(1);
    sharp.cache(false);
    sharp.block({ operation: ["VipsForeignLoad"] });
    sharp.unblock({ operation: ["Jpeg", "Png", "Webp", "Nsgif"].map((format) => `VipsForeignLoad${format}Buffer`) });
    return sharp;
  });
  return loading;
}

/**
 * Crops to the middle square, or fits the whole picture into one; upright, without metadata; the first frame of an
 * animation.
 */
export function smallPicture(bytes: Uint8Array, fit: "cover" | "inside", share: string): Promise<Buffer> {
  return inTurn(share, async () => {
    const sharp = await decoder();
    return sharp(bytes, { limitInputPixels: MOST_PIXELS, failOn: "error", pages: 1, sequentialRead: true })
      .autoOrient()
      .resize(PICTURE.width, PICTURE.height, { fit, position: "centre", withoutEnlargement: fit === "inside" })
      .toColourspace("srgb")
      .webp({ quality: 82 })
      .timeout({ seconds: DECODE_SECONDS })
      .toBuffer()
      .catch(({ message }: Error) =>
        message.startsWith("timeout:") ? refuse("overloaded", { retry_after: 5 }) : refuse("invalid_picture"),
      );
  });
}

/** Signed URL of a picture, valid for five minutes. */
export const pictureUrl = (storage: Storage, key: string | null | undefined): Promise<string> =>
  key ? storage.signedUrl({ method: "GET", key, seconds: URL_SECONDS }) : refuse("not_found");

/**
 * Rows that have a picture: the table, its column for the key of the object, and the name of its id in job payloads.
 */
interface Holder {
  table: string;
  column: string;
  id: string;
  /** Prefix of the keys. */
  folder: string;
  /** Job that deletes unused pictures. */
  job: string;
}
/** Context of an operation that stores a picture. */
interface Storing {
  principal: { now: string; userId: string } | null;
  outside: Pick<ExternalSystems, "storage">;
  transaction(work: (context: { tx: Queries; defer(sent: Promise<unknown>): void }) => Promise<void>): Promise<void>;
}
/** Response to the upload of a picture. */
export interface StoredPicture {
  content_type: string;
  width: number;
  height: number;
  size: number;
  updated_at: string;
}

/**
 * Every picture is an object of its own. Before it is stored, a job is enqueued that checks an hour later whether it is
 * in use; another one deletes it when it is replaced or removed: so no crash leaves an unused object.
 */
export function picturesOf({ table, column, id, folder, job }: Holder) {
  const LOOK_LATER = `
select enqueue_job('${job}', json_build_object('${id}', $1::uuid, 'key', $2::text), now() + interval '1 hour')`;
  // Reads the previous key from the locked row, so that the later of two concurrent changes discards the earlier.
  // Returns no row and changes nothing if the row has no picture and gets none.
  const REPLACE = `
update ${table} t set ${column} = $2, updated_at = now(), revision = t.revision + 1
from (select id, ${column} from ${table} where id = $1 for no key update) old
where t.id = old.id and (old.${column} is not null or $2::text is not null)
returning (select enqueue_job('${job}', json_build_object('${id}', old.id, 'key', old.${column}))
  where old.${column} is not null)`;
  const USED = `select from ${table} where id = $1 and ${column} = $2`;
  return {
    /** Sanitises and stores a picture that no row uses yet. */
    async store({ principal, outside, transaction }: Storing, row: string, bytes: Uint8Array) {
      const { now, userId } = principal ?? refuse("authentication_required");
      const picture = await smallPicture(bytes, "cover", userId);
      const key = `${folder}/${row}/${newId()}`;
      await transaction(async ({ tx, defer }) => defer(tx.rows(LOOK_LATER, [row, key])));
      await outside.storage.put(key, picture, PICTURE.type);
      const { type, width, height } = PICTURE;
      const stored: StoredPicture = { content_type: type, width, height, size: picture.length, updated_at: now };
      return { key, stored };
    },
    /** Sets or removes the picture. False if the row has none and gets none. */
    replace: async (tx: Queries, row: string, key: string | null) =>
      (await tx.maybe(REPLACE, [row, key])) !== undefined,
    jobs: (reader: Pool, { storage }: ExternalSystems): TaskList => ({
      /** Deletes a stored picture, unless its row uses it now. */
      [job]: async (payload) => {
        const { key, [id]: row } = payload as Record<string, string>;
        const used = await reader.use((tx) => tx.maybe(USED, [row, key]));
        if (!used) await storage.delete(key as string);
      },
    }),
  };
}
