// A child process of socket-fairness.ts: sockets of one person request the state of one text at the highest permitted
// rate, or each repeatedly opens a text of its own. The parent ends it.
import type { WebSocket } from "ws";
import { csrfTokenOf } from "../server/src/platform/wire/ids.ts";
import { Editor, type Session } from "../server/test/editing.ts";

export interface Flood {
  port: number;
  session: string;
  /** Texts to open: each reconnecting socket has its own, and all sockets that request state share the first. */
  documentIds: string[];
  sockets: number;
  /** Requests of each socket per second; null for sockets that reconnect. */
  aSecond: number | null;
  seconds: number;
}

process.once("message", (flood: Flood) => void (flood.aSecond === null ? reconnect(flood) : request(flood)));

async function newSession({ port, session }: Flood, documentId: string): Promise<Session> {
  const token = csrfTokenOf(session);
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/documents/${documentId}/collaboration-sessions`, {
    method: "POST",
    headers: { cookie: `__Host-svc_session=${session}; __Host-svc_csrf=${token}`, "x-csrf-token": token },
  });
  if (response.status !== 201) throw new Error(`a session answered ${response.status}`);
  const made = (await response.json()) as Session;
  return { ...made, url: made.url.replace(/\/\/[^/]+/, `//127.0.0.1:${port}`) };
}

async function request(flood: Flood) {
  const { documentIds, sockets, seconds } = flood;
  const aSecond = flood.aSecond as number;
  const made = await newSession(flood, documentIds[0] as string);
  const editors: Editor[] = [];
  // Sockets open one by one: concurrent opening is measured by reconnect().
  while (editors.length < sockets) editors.push(await new Editor(made).ready());
  for (const editor of editors) editor.deaf = true;
  process.send?.("open");
  const end = performance.now() + seconds * 1000;
  const asking = setInterval(() => {
    for (const editor of editors) for (let count = 0; count < aSecond / 20; count++) editor.askState();
    if (performance.now() < end) return;
    clearInterval(asking);
    process.send?.({ closed: editors.filter(({ closed }) => closed !== null).length });
    for (const editor of editors) editor.leave();
    process.disconnect?.();
  }, 50);
}

/** Leaves each text as soon as it is open, so that the service evicts it and loads it again. */
async function reconnect(flood: Flood) {
  const { documentIds, sockets, seconds } = flood;
  const sessions: Session[] = [];
  for (const id of documentIds.slice(0, sockets)) sessions.push(await newSession(flood, id));
  process.send?.("open");
  const end = performance.now() + seconds * 1000;
  let opened = 0;
  const reopen = async (made: Session) => {
    while (performance.now() < end) {
      const editor = new Editor(made);
      editor.deaf = true;
      const socket = Reflect.get(editor, "socket") as WebSocket;
      const late = setTimeout(() => socket.terminate(), Math.max(0, end - performance.now()));
      // The service sends its first frame once the text is loaded.
      const isOpen = new Promise<boolean>((resolve) => {
        socket.once("message", () => resolve(true));
        socket.once("close", () => resolve(false));
      });
      if (await isOpen) opened++;
      clearTimeout(late);
      editor.leave();
      editor.cut();
    }
  };
  await Promise.all(sessions.map(reopen));
  process.send?.({ closed: 0, opened });
  process.disconnect?.();
}
