// The operations that hidden.test.ts leaves out, because each stands behind another one of its class.
import { representatives } from "./covering-set.ts";
import { hiddenThings } from "./hidden-things.ts";

hiddenThings().testHidden(({ id }) => !representatives.has(id));
