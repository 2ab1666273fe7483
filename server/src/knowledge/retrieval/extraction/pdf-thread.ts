// Reads one PDF and ends. Nothing in it is rendered, executed or fetched.
import { parentPort, workerData } from "node:worker_threads";
import { getDocumentProxy } from "unpdf";

export interface PdfText {
  text: string | null;
}
interface Asked {
  bytes: Uint8Array;
  /** Maximum numbers of pages and characters. */
  pages: number;
  text: number;
}
/** A piece of a line, with its position on the page. */
interface Piece {
  str: string;
  hasEOL: boolean;
  height: number;
  transform: number[];
}

/** Line distance, as a multiple of the text height, above which a new paragraph begins. */
const APART = 1.6;
function textOfPage(pieces: readonly Piece[]): string {
  let text = "";
  let above: { at: number; height: number } | null = null;
  for (const { str, hasEOL, height, transform } of pieces) {
    const at = transform[5] ?? 0;
    if (str.trim() !== "" && above && text.endsWith("\n") && above.at - at > APART * Math.max(above.height, height))
      text += "\n";
    if (str.trim() !== "") above = { at, height };
    text += str;
    if (hasEOL) text += "\n";
  }
  return text.trim();
}

async function textOf({ bytes, pages, text: most }: Asked): Promise<string | null> {
  const options = {
    isEvalSupported: false,
    disableFontFace: true,
    useSystemFonts: false,
    enableXfa: false,
    verbosity: 0,
  };
  const pdf = await getDocumentProxy(bytes, options);
  let text = "";
  for (let number = 1; number <= Math.min(pdf.numPages, pages) && text.length < most; number++) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    const own = textOfPage(items.filter((item): item is typeof item & Piece => "str" in item));
    if (own !== "") text += (text === "" ? "" : "\n\n") + own;
    page.cleanup();
  }
  const whole = text.slice(0, most).toWellFormed().replaceAll("\0", "");
  return whole.trim() === "" ? null : whole;
}

const told: PdfText = { text: await textOf(workerData as Asked).catch(() => null) };
parentPort?.postMessage(told);
