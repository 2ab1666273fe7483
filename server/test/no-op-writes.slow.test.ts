// The operations of no-op-writes.ts that no-op-writes.test.ts leaves out.
import { isPicked } from "./covering-set.ts";
import { testNoOpWrites } from "./no-op-writes.ts";
import { service } from "./world.ts";

testNoOpWrites(service({}), ({ id }) => !isPicked(id, "no-op"));
