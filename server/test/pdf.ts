// PDF files as tests need them: pages of lines, or with whatever stream a page is to have.
import { deflateSync } from "node:zlib";

const escaped = (text: string) => text.replace(/[\\()]/g, "\\$&");
/** Lines of a page, from its top; an empty one is a gap. */
const drawn = (lines: readonly string[]) =>
  `BT /F1 12 Tf 72 720 Td 14 TL ${lines.map((line) => (line === "" ? "T*" : `(${escaped(line)}) Tj T*`)).join(" ")} ET`;

export const pdfOf = (pages: readonly (readonly string[])[]) =>
  pdfWith(pages.map((lines) => Buffer.from(drawn(lines), "latin1")));
/** Packed, as they mostly are. */
export function pdfWith(streams: readonly Buffer[]): Buffer {
  const kids = streams.map((_, at) => `${4 + at * 2} 0 R`).join(" ");
  const objects: Buffer[] = [
    Buffer.from("<< /Type /Catalog /Pages 2 0 R >>"),
    Buffer.from(`<< /Type /Pages /Kids [${kids}] /Count ${streams.length} >>`),
    Buffer.from("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"),
  ];
  for (const [at, stream] of streams.entries()) {
    const packed = deflateSync(stream);
    objects.push(
      Buffer.from(
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents " +
          `${5 + at * 2} 0 R >>`,
      ),
      Buffer.concat([
        Buffer.from(`<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n`),
        packed,
        Buffer.from("\nendstream"),
      ]),
    );
  }
  const parts = [Buffer.from("%PDF-1.4\n")];
  const offsets: number[] = [];
  let length = (parts[0] as Buffer).length;
  for (const [at, object] of objects.entries()) {
    offsets.push(length);
    const whole = Buffer.concat([Buffer.from(`${at + 1} 0 obj\n`), object, Buffer.from("\nendobj\n")]);
    parts.push(whole);
    length += whole.length;
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  parts.push(
    Buffer.from(
      `xref\n0 ${size}\n0000000000 65535 f \n${table}trailer << /Size ${size} /Root 1 0 R ` +
        `>>\nstartxref\n${length}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}
