// Dependencies that all sockets of a process share.
import type { Limits } from "@svc/contract/surfaces/realtime/limits.ts";
import type { Database, Queries } from "../../platform/database/db.ts";
import type { CursorSigner } from "../../platform/wire/cursor.ts";
import type { Allowance } from "../../platform/wire/limits/allowance.ts";
import type { Log } from "../../platform/wire/log.ts";
import type { Guest } from "./door.ts";
import type { Feed, FeedFollower } from "./feed.ts";
import type { PresenceTracker } from "./presence.ts";

export interface SocketDependencies {
  database: Database;
  feed: Feed;
  cursors: CursorSigner;
  presence: PresenceTracker;
  log: Log;
  limits: Limits;
  allowance: Allowance;
  /** Follows until the returned function is called. */
  follow(subscription: FeedFollower): () => void;
  /** Queries the database as a guest with their present rights. */
  asked<T>(guest: Guest, work: (tx: Queries) => Promise<T>): Promise<T>;
}
