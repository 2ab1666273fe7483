// Detects file types by their first bytes, only to verify that a file matches its announced type. A type missing from
// this table is accepted as announced, never shown inline, and can only be downloaded. Pure.

/** Number of leading bytes that the tests read. */
export const HEAD_BYTES = 4096;

type Test = (head: Buffer) => boolean;
const at = (offset: number, ...signatures: (string | number[])[]): Test => {
  const wanted = signatures.map((each) => (typeof each === "string" ? Buffer.from(each, "latin1") : Buffer.from(each)));
  return (head) => wanted.some((each) => head.subarray(offset, offset + each.length).equals(each));
};
const all =
  (...tests: Test[]): Test =>
  (head) =>
    tests.every((test) => test(head));
const brand = (...names: string[]) => all(at(4, "ftyp"), (head) => names.some((name) => brandsOf(head).includes(name)));
/** Brands of an ISO media file: the major brand, then the compatible ones after the version. */
function brandsOf(head: Buffer): string[] {
  const end = Math.min(head.readUInt32BE(0), head.length);
  const brands = [head.toString("latin1", 8, 12)];
  for (let offset = 16; offset + 4 <= end; offset += 4) brands.push(head.toString("latin1", offset, offset + 4));
  return brands;
}
const zip = at(0, "PK\x03\x04", "PK\x05\x06", "PK\x07\x08");
const riff = (form: string) => all(at(0, "RIFF"), at(8, form));
const ebml = at(0, [0x1a, 0x45, 0xdf, 0xa3]);
const ogg = at(0, "OggS");
const media = at(4, "ftyp", "moov", "mdat", "wide", "free");
/** Text contains no NUL byte, unless a byte order mark declares UTF-16. */
const text: Test = (head) => at(0, [0xff, 0xfe], [0xfe, 0xff])(head) || !head.includes(0);
const svg: Test = (head) => text(head) && /<svg[\s>]/i.test(head.toString("utf8"));

const signatures: Record<string, Test> = {
  "image/png": at(0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  "image/jpeg": at(0, [0xff, 0xd8, 0xff]),
  "image/gif": at(0, "GIF87a", "GIF89a"),
  "image/webp": riff("WEBP"),
  "image/avif": brand("avif", "avis"),
  "image/heic": brand("heic", "heix", "hevc", "mif1", "msf1"),
  "image/heif": brand("heic", "heix", "mif1", "msf1"),
  "image/bmp": at(0, "BM"),
  "image/tiff": at(0, "II*\0", "MM\0*"),
  "image/x-icon": at(0, [0, 0, 1, 0]),
  "image/vnd.microsoft.icon": at(0, [0, 0, 1, 0]),
  "image/svg+xml": svg,
  "application/pdf": (head) => head.subarray(0, 1024).includes("%PDF-"),
  "application/zip": zip,
  "application/epub+zip": zip,
  "application/java-archive": zip,
  "application/gzip": at(0, [0x1f, 0x8b]),
  "application/x-7z-compressed": at(0, [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]),
  "application/vnd.rar": at(0, "Rar!\x1a\x07"),
  "application/x-tar": at(257, "ustar"),
  "application/json": text,
  "application/xml": text,
  "video/mp4": media,
  "video/quicktime": media,
  "video/webm": ebml,
  "video/x-matroska": ebml,
  "video/ogg": ogg,
  "audio/mp4": media,
  "audio/webm": ebml,
  "audio/ogg": ogg,
  "audio/flac": at(0, "fLaC"),
  "audio/wav": riff("WAVE"),
  "audio/mpeg": (head) => at(0, "ID3")(head) || (head[0] === 0xff && ((head[1] ?? 0) & 0xe0) === 0xe0),
};
/** Zipped XML: documents, sheets and slides of Office Open XML and OpenDocument. */
const PACKED = /^application\/(?:vnd\.openxmlformats-officedocument|vnd\.oasis\.opendocument)\./;

function testOf(contentType: string): Test | undefined {
  if (Object.hasOwn(signatures, contentType)) return signatures[contentType];
  if (PACKED.test(contentType)) return zip;
  return contentType.startsWith("text/") ? text : undefined;
}

/** Whether a file with these first bytes can have the announced type. */
export const canBe = (contentType: string, head: Buffer): boolean => testOf(contentType)?.(head) ?? true;
