// Settings of every test service, unless a test names others.
import { randomBytes } from "node:crypto";
import type { Config } from "../src/platform/settings/config.ts";

/** Secret keys of every test service, so that a test can open what was sealed. */
export const testKeys = [{ id: "test", key: randomBytes(32) }];

export const testConfig: Config = {
  port: 0,
  host: "127.0.0.1",
  publicUrl: "http://localhost:0",
  trustProxy: null,
  databaseUrl: null,
  databaseWait: 60,
  closeSeconds: 10,
  dataDir: "",
  roles: ["api", "realtime"],
  secretKeys: testKeys,
  keysFrom: "SECRET_KEYS",
  rateLimits: null,
  logLevel: "info",
  metricsPort: null,
  maintenance: null,
  smtpUrl: null,
  outbox: null,
  mailFrom: "svc <no-reply@localhost>",
  storageUrl: null,
  uploadLimit: 100 * 1024 * 1024,
  clamdUrl: null,
  eventRetentionDays: 400,
  auditRetentionDays: null,
  backupDir: null,
  backupEvery: 24 * 60 * 60,
  backupKeep: 7,
  backupKeyFile: null,
  breachRangeUrl: null,
  model: null,
  runLimits: { turnsPerHour: 1000, perPerson: 1000, perWorkspace: 1000 },
  egressAllow: [],
  apps: {
    gitlab: { url: "https://gitlab.example", client_id: "client", client_secret: "secret" },
    slack: { signing_secret: "planted" },
  },
  billing: null,
  voice: { address: null, ports: null },
  webhookAllow: [],
  gitAllow: [],
  passkeys: true,
  providers: {},
};
