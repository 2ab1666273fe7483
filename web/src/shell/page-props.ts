// Properties of every page of a Workspace.
import type { Params } from "../ui/address.ts";

export interface PageProps {
  params: Params;
  /** Opens the dialog for a new Task. */
  create: () => void;
}
