// Who reaches a Workspace as such: its active members, with what their role permits.
import type { Membership } from "../kernel/authenticate.ts";
import type { Access } from "../kernel/implement.ts";
import { type Capability, may } from "./rules.ts";

export const workspace = (capability: Capability): Access<Membership> => ({
  reach: "membership",
  load: async ({ member }) => member,
  permits: ({ member }) => may(member.role, capability),
});
