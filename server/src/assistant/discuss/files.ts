// Files in a member's private stream: read, given out for five minutes, deleted. A file that waits for the scanner or
// did not pass it is not given out.
import * as contract from "@svc/contract/assistant/discuss/files.ts";
import { discardFile, giveFile, givePreview } from "../../planning/attachments/file-change.ts";
import { isGiven } from "../../planning/attachments/rules.ts";
import { type Access, implement, implementWithEffects } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { fileCapabilities } from "./attachments/file-rules.ts";
import { filesOf, type PrivateFile } from "./attachments/file-store.ts";

const own: Access<PrivateFile> = {
  reach: "membership",
  load: async (tx, { file_id }, change) => (await filesOf(tx, [file_id as string], change))[0],
  permits: () => true,
};

export const getDiscussFile = implement(contract.getDiscussFile, own, async (_context, { target }) =>
  render(target, fileCapabilities(target)),
);

export const deleteDiscussFile = implement(contract.deleteDiscussFile, own, async (context, { target }) =>
  discardFile(context, target.id),
);

const requireClean = ({ scan_state }: PrivateFile) => isGiven(scan_state) || refuse("file_not_clean");

export const downloadDiscussFile = implementWithEffects(
  contract.downloadDiscussFile,
  own,
  async (context, { target }) => {
    requireClean(target);
    return giveFile(context, target);
  },
);

export const previewDiscussFile = implementWithEffects(
  contract.previewDiscussFile,
  own,
  async (context, { target }) => {
    requireClean(target);
    return givePreview(context, target);
  },
);
