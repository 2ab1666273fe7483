// The callers and operations that hidden.test.ts leaves out.
import { hiddenThings, isAskedFirst } from "./hidden-things.ts";

hiddenThings().testHidden(
  () => true,
  (...asked) => !isAskedFirst(...asked),
);
