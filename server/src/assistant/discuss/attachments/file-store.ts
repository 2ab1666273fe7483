// SQL of files in a private stream: uploaded files of the caller only, in the table of attachments.
//   filesOf(tx, ids) -> the existing ones among these, unordered; isGiven(scan_state) of planning/attachments/rules.ts
//     decides whether one may be read
import { PrivateFileRow } from "@svc/contract/assistant/discuss/files.ts";
import type { ScanState } from "../../../planning/attachments/rules.ts";
import type { Queries } from "../../../platform/database/db.ts";
import { view } from "../../../platform/database/view.ts";

export interface PrivateFile {
  id: string;
  revision: string;
  filename: string;
  content_type: string;
  size: number;
  scan_state: ScanState;
  has_thumbnail: boolean;
  undrawable: boolean;
  json: string;
}
const FILES = `
select a.id, a.revision::text, a.filename, a.content_type, a.size::float8 as size, a.scan_state, a.has_thumbnail,
  a.undrawable,
  ${view(PrivateFileRow, "a", { sha256: "encode(a.sha256, 'hex')" })} as json
from attachments a
where a.workspace_id = current_workspace() and a.id = any($1::uuid[]) and a.private and a.state = 'stored'
  and a.uploaded_by_actor_id = current_actor()`;
export const filesOf = (tx: Queries, ids: readonly string[], change = false) =>
  tx.rows<PrivateFile>(change ? `${FILES} for no key update` : FILES, [ids]);
