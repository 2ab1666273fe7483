// Registry of all domains whose rows the store holds. The store itself knows none of them; register new ones here.
import { discussDomain } from "../discuss/operations.ts";
import { documentsDomain } from "../documents/operations.ts";
import { inboxDomain } from "../inbox/operations.ts";
import { projectPartsDomain } from "../projects/members-and-labels.ts";
import { projectsDomain } from "../projects/operations.ts";
import { tasksDomain } from "../tasks/operations.ts";
import { partsDomain } from "../tasks/panel/operations.ts";
import { timeDomain } from "../time/operations.ts";

export const domains = [
  ...[tasksDomain, partsDomain, projectsDomain, projectPartsDomain],
  ...[documentsDomain, inboxDomain, timeDomain, discussDomain],
];
