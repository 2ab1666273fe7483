// Thread that decodes large texts, one after the other.
import { parentPort } from "node:worker_threads";
import { outlineOf } from "./outline.ts";

parentPort?.on("message", (updates: Uint8Array[]) => parentPort?.postMessage(outlineOf(updates)));
