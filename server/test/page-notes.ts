// Describes the pages of a failed browser test. Its error names only a locator, not what the page showed or received.
import type { Page } from "playwright-core";

const MOST_NOTES = 30;
const MOST_TEXT = 600;

/** Notes requests, sockets and errors of a page; the result describes the last of them and what the page shows. */
export function notePage(page: Page): () => Promise<string> {
  const notes: string[] = [];
  const note = (line: string) => {
    notes.push(line.slice(0, 200));
    if (notes.length > MOST_NOTES) notes.shift();
  };
  page.on("response", (response) => note(`${response.status()} ${response.request().method()} ${response.url()}`));
  page.on("requestfailed", (request) => note(`failed: ${request.url()} ${request.failure()?.errorText}`));
  page.on("pageerror", (error) => note(`page error: ${error.message}`));
  page.on("console", (message) => message.type() === "error" && note(`console: ${message.text()}`));
  page.on("websocket", (socket) => {
    const { pathname } = new URL(socket.url());
    note(`socket ${pathname} opens`);
    socket.on("framesent", ({ payload }) => note(`socket ${pathname} sends ${payload.length}`));
    socket.on("framereceived", ({ payload }) => note(`socket ${pathname} receives ${payload.length}`));
    socket.on("close", () => note(`socket ${pathname} closes`));
  });
  return async () => {
    const text = await page.evaluate("document.body.innerText").catch((error) => error);
    return (
      `\nThe page ${page.url()} shows:\n${String(text).slice(0, MOST_TEXT)}\nIts last ` + `events:\n${notes.join("\n")}`
    );
  };
}
