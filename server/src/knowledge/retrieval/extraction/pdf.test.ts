// Text extraction from a PDF, and its bounds: no PDF can harm the service.
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { pdfOf, pdfWith } from "../../../../test/pdf.ts";
import { textOfFile } from "./file-rules.ts";
import { textOfPdf } from "./pdf.ts";

const PDF = "application/pdf";
// The time that a PDF may take passes when a test says so.
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

test("a PDF is its lines and paragraphs, page after page", async () => {
  const pages = [
    [
      "Signing keys",
      "",
      "Keys are rotated on the first",
      "Monday of a quarter.",
      "",
      "",
      "Backups are kept (for a week).",
    ],
    ["On the second page."],
  ];
  expect(await textOfFile(PDF, pdfOf(pages))).toBe(
    "Signing keys\n\nKeys are rotated on the first\nMonday of a quarter.\n\nBackups are kept (for a week).\n\nOn " +
      "the second page.",
  );
});

test("of many pages so many are read, and what has no text, is cut off, or is something else says nothing", async () => {
  const many = await textOfFile(PDF, pdfOf(Array.from({ length: 501 }, (_, at) => [`Page ${at + 1}.`])));
  expect(many).toMatch(/Page 500\.$/);
  const whole = pdfOf([["Keys are rotated."]]);
  expect(await textOfFile(PDF, pdfOf([[]]))).toBeNull();
  expect(await textOfFile(PDF, whole.subarray(0, 60))).toBeNull();
  expect(await textOfFile(PDF, Buffer.from("%PDF-1.7\nno more"))).toBeNull();
  expect(await textOfFile(PDF, Buffer.alloc(0))).toBeNull();
  expect(await textOfFile(PDF, Buffer.concat([whole, Buffer.alloc(8 * 1024 * 1024)]))).toBeNull();
});

test("one that unpacks to very much, or never ends, is given up, and the service goes on meanwhile", async () => {
  // 100 MB of operators in 100 kB.
  const bomb = pdfWith([Buffer.alloc(100_000_000, "q Q ")]);
  expect(bomb.length).toBeLessThan(1_000_000);
  let isRead = false;
  const reading = textOfPdf(bomb, 1000).finally(() => {
    isRead = true;
  });
  // Wait: the thread has not even loaded what it needs after so short a time.
  for (let beats = 0; beats < 6; beats++) await sleep(5);
  expect(isRead).toBe(false);
  vi.advanceTimersByTime(1000);
  expect(await reading).toBeNull();
  // The next one is read as if nothing had been.
  expect(await textOfPdf(pdfOf([["Still here."]]))).toBe("Still here.");
});
