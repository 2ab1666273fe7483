// Capabilities of a private file in its present scan state. Pure.
import type { Capability } from "@svc/contract/capabilities.ts";
import { isGiven, isShown } from "../../../planning/attachments/rules.ts";
import type { PrivateFile } from "./file-store.ts";

export function fileCapabilities(file: Pick<PrivateFile, "scan_state" | "content_type" | "undrawable">): Capability[] {
  const given = isGiven(file.scan_state);
  return [
    ...(given ? (["file:download"] as const) : []),
    ...(given && isShown(file) ? (["file:preview"] as const) : []),
    "file:delete",
  ];
}
