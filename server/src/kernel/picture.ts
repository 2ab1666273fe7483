// Pictures that people send, made harmless: decoded by the one decoder of their format, cut to a square, and written anew, so that
// nothing of the file itself is ever shown. What does not decode whole, is too large or is no picture is refused; SVG is never read.
// One at a time: measured, a PNG of 40 megapixels takes 90 MB and a core for 2.5 seconds, a photograph of 12 megapixels 0.1 seconds.
import { gate } from "./gate.ts";
import type { Storage } from "./outside.ts";
import { refuse } from "./problem.ts";

export const PICTURE = { type: "image/webp", width: 512, height: 512 } as const;
const MOST_PIXELS = 40_000_000;
const DECODE_SECONDS = 5;
const URL_SECONDS = 5 * 60;

const inTurn = gate(1, 8);
let loading: Promise<typeof import("sharp").default> | undefined;

/** Loaded at its first use: it takes 30 ms and 20 MB. Only these four formats have a way in, whatever else the library can read. */
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

/** The middle square, upright, without metadata; of an animation the first frame. */
export function squarePicture(bytes: Uint8Array): Promise<Buffer> {
  return inTurn(async () => {
    const sharp = await decoder();
    return sharp(bytes, { limitInputPixels: MOST_PIXELS, failOn: "error", pages: 1, sequentialRead: true })
      .autoOrient()
      .resize(PICTURE.width, PICTURE.height, { fit: "cover", position: "centre" })
      .toColourspace("srgb")
      .webp({ quality: 82 })
      .timeout({ seconds: DECODE_SECONDS })
      .toBuffer()
      .catch(() => refuse("invalid_picture"));
  });
}

/** Where a browser finds it, for five minutes. */
export const pictureUrl = (storage: Storage, key: string | null | undefined): Promise<string> =>
  key ? storage.signedUrl({ method: "GET", key, seconds: URL_SECONDS }) : refuse("not_found");
