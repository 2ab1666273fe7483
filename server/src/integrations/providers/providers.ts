// Every provider, by name: an import and a name in the list.
import type { Provider } from "../provider.ts";
import { webhook } from "./webhook.ts";

export const providers: readonly Provider[] = [webhook];
