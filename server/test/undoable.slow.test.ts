// The writes that undoable.test.ts leaves out.
import { isTestedFirst, testUndoable } from "./undoable-writes.ts";

await testUndoable((id) => !isTestedFirst(id));
