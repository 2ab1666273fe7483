// The operations of unchanged.ts that unchanged.test.ts leaves out.
import { isPicked } from "./covering-set.ts";
import { testUnchanged } from "./unchanged.ts";
import { service } from "./world.ts";

testUnchanged(service({}), ({ id }) => !isPicked(id, "unchanged"));
