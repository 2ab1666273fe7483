// A third of the operations that realtime-state.ts sends; realtime-state.slow.test.ts sends all.
import { isPicked } from "./covering-set.ts";
import { testRealtimeState } from "./realtime-state.ts";
import { service } from "./world.ts";

testRealtimeState(service({}), ({ id }) => isPicked(id, "realtime state"));
