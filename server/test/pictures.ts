// Pictures that a camera, an artist or an attacker would send, made when a test asks for them.
import { crc32, deflateSync } from "node:zlib";
import sharp from "sharp";

const RED = { r: 200, g: 30, b: 30 };
export const BLUE = { r: 30, g: 30, b: 200 };
const canvas = (width: number, height: number, background = RED) =>
  sharp({ create: { width, height, channels: 3, background }, limitInputPixels: false });

type Format = "jpeg" | "png" | "webp" | "gif";
export const picture = (format: Format, width = 64, height = 48, background = RED) =>
  canvas(width, height, background).toFormat(format).toBuffer();

/** As small as it can be without looking worse. */
export const webpOf = (picture: Buffer) => sharp(picture).webp({ quality: 82 }).toBuffer();

/** A few hundred bytes, made once: for tests that only need one. */
let small: Promise<Buffer> | undefined;
export const smallPicture = () => (small ??= picture("png"));

/**
 * Lying on its side: 60 by 40 pixels whose left third is blue, to be shown turned by a quarter, with a place and a name
 * in it.
 */
export const cameraPicture = () =>
  canvas(60, 40)
    .composite([{ input: { create: { width: 20, height: 40, channels: 3, background: "blue" } }, left: 0, top: 0 }])
    .jpeg()
    .withExif({ IFD0: { Artist: "Secret Name", Copyright: "somebody" }, IFD3: { GPSLatitude: "51/1 30/1 0/1" } })
    .withMetadata({ orientation: 6 })
    .toBuffer();

/** A PNG of this size in all that it says, with so many bytes of image data behind it. */
export function pngOf(width: number, height: number, data = 0): Buffer {
  const chunk = (type: string, content: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), content]);
    const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(content.length);
    check.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, check]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([1, 0], 8);
  return Buffer.concat([
    Buffer.from("89504e470d0a1a0a", "hex"),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.alloc(data))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}
/** All of its pixels, black and of one bit each: 40 megapixels are 5 kB. */
export const hugePng = (width: number, height: number) => pngOf(width, height, height * (Math.ceil(width / 8) + 1));

/** The first frame red, the others blue. */
export async function animation(format: "gif" | "webp", frames: number): Promise<Buffer> {
  const pages = [
    await canvas(32, 32).png().toBuffer(),
    ...(await Promise.all(
      Array.from({ length: frames - 1 }, (_, index) =>
        canvas(32, 32, { r: 0, g: 0, b: 255 - (index % 200) })
          .png()
          .toBuffer(),
      ),
    )),
  ];
  return sharp(pages, { join: { animated: true } })
    .toFormat(format, { loop: 0, effort: 1 })
    .toBuffer();
}
