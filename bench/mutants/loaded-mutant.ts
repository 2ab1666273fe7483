// Preloaded by every Node process of a mutant run: changes the source that Node itself loads. Code that a thread or a
// second process runs does not go through vitest, so that its transform does not reach it. Does nothing without
// SVC_MUTANT.
import { registerHooks } from "node:module";
import { applied, type Mutant } from "./mutant.ts";

const given = process.env.SVC_MUTANT;
if (given) {
  const mutant = JSON.parse(given) as Mutant;
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!loaded.source || !new URL(url).pathname.endsWith(`/${mutant.path}`)) return loaded;
      const text =
        typeof loaded.source === "string" ? loaded.source : Buffer.from(loaded.source as Uint8Array).toString();
      return { ...loaded, source: applied(text, mutant) };
    },
  });
}
