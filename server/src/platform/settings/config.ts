// All settings, read once at start. `variables` is the single list of them: readConfig reads from it and
// docs/settings.md is generated from it. All faults are reported together, one line each. Never guesses: a value that
// cannot be parsed stops the start, and no other module reads process.env.
import { resolve } from "node:path";
import { parseTrust, type Trust } from "../wire/client-address.ts";
import { defaultRates, type Rates } from "../wire/limits/rate-limit.ts";
import {
  MEBIBYTE,
  readCloseTime,
  readCount,
  readDays,
  readMaintenance,
  readMebibytes,
  readRates,
  readTime,
  readWait,
} from "./amounts.ts";
import { type Apps, readApps } from "./apps-config.ts";
import { type BillingConfig, billingOf, readPrices } from "./billing-config.ts";
import { ConfigError, dataDirFault } from "./config-error.ts";
import { readDatabaseUrl } from "./database-address.ts";
import { type ModelConfig, modelOf, modelProviders } from "./model-config.ts";
import { defaultRunLimits, type RunLimits, runLimitVariables } from "./run-limits.ts";
import { keyFile, loadSecretKeys, parseSecretKeys, type SecretKey } from "./secret-keys.ts";
import { oneOf, readClamdUrl, readHost, readOrigin, readPort, readSender, readUrl } from "./value-readers.ts";
import { variable } from "./variable.ts";
import { readVoiceAddress, readVoicePorts, type VoiceConfig } from "./voice-config.ts";

const roles = ["api", "worker", "realtime"] as const;
const logLevels = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

export type ProcessRole = (typeof roles)[number];

export type Config = {
  port: number;
  host: string;
  publicUrl: string;
  trustProxy: Trust;
  databaseUrl: string | null;
  /** In seconds. */
  databaseWait: number;
  closeSeconds: number;
  dataDir: string;
  roles: readonly ProcessRole[];
  secretKeys: readonly SecretKey[];
  /** Origin of the keys for messages: SECRET_KEYS or the path of a file. */
  keysFrom: string;
  /** null: off. */
  rateLimits: Rates | null;
  logLevel: (typeof logLevels)[number];
  metricsPort: number | null;
  maintenance: "on" | Date | null;
  /** null: mail stays in the outbox. */
  smtpUrl: string | null;
  /** Whether the outbox can be read; null: only if PUBLIC_URL is loopback. See outboxFor. */
  outbox: boolean | null;
  mailFrom: string;
  /** null: files under DATA_DIR. */
  storageUrl: string | null;
  /** In bytes. */
  uploadLimit: number;
  /** null: uploaded files are not scanned. */
  clamdUrl: string | null;
  /** null: for ever. */
  eventRetentionDays: number | null;
  auditRetentionDays: number | null;
  breachRangeUrl: string | null;
  /** null: the worker makes no backups. */
  backupDir: string | null;
  /** In seconds. */
  backupEvery: number;
  backupKeep: number;
  backupKeyFile: string | null;
  /** null: the assistant searches and quotes, but generates no text. */
  model: ModelConfig | null;
  runLimits: RunLimits;
  /** null: nothing is sold, and everything is granted. */
  billing: BillingConfig | null;
  /** Origins that may be reached although they are not public or not https. */
  egressAllow: readonly string[];
  /** Registrations of the service at the providers of integrations. */
  apps: Apps;
  voice: VoiceConfig;
  /** The same for webhooks, whose addresses members choose. */
  webhookAllow: readonly string[];
  /** The same for Git servers of the knowledge repository. */
  gitAllow: readonly string[];
  passkeys: boolean;
  providers: Partial<Record<"google" | "microsoft" | "apple", SignInProvider>>;
};

/** An OpenID provider that people may sign in with. */
export interface SignInProvider {
  issuer: string;
  clientId: string;
  clientSecret: string;
}

export const CLOSE_SECONDS = 10;
export const variables = {
  PORT: variable("8080", "port of the API; 0 takes any free one", (text) => readPort(text, 0)),
  HOST: variable("127.0.0.1", "address to listen on; 0.0.0.0 for every interface", readHost),
  PUBLIC_URL: variable(
    "http://localhost:PORT",
    "origin under which browsers and clients reach the service",
    readOrigin,
  ),
  TRUST_PROXY: variable(
    "nobody",
    "proxies whose Forwarded and X-Forwarded-For are believed: addresses and ranges, comma-separated, " +
      "or how many stand in front",
    parseTrust,
  ),
  DATABASE_URL: variable(
    "embedded PostgreSQL",
    "postgresql:// address of a PostgreSQL 15 or newer; PG* variables supply what it leaves out, docs/operate.md " +
      "has its forms",
    readDatabaseUrl,
  ),
  DATABASE_WAIT_SECONDS: variable(
    "60",
    "how long a start waits for the database of DATABASE_URL, 0 to 3600; it prints a line every 5 s",
    readWait,
  ),
  CLOSE_SECONDS: variable(
    "10",
    "how long the service, and then its embedded database, may take to close, 1 to 3600; " +
      "then the process ends with exit code 4",
    readCloseTime,
  ),
  DATA_DIR: variable("./data", "directory of the embedded database, stored objects and keys", (text) => resolve(text)),
  ROLES: variable(roles.join(), `what this process does, comma-separated: ${roles.join(", ")}`, readRoles),
  SECRET_KEYS: variable(
    "generated once into DATA_DIR/keys",
    "comma-separated id:key, each key 32 bytes as base64url; the first signs and encrypts, the others only verify " +
      "and decrypt",
    parseSecretKeys,
  ),
  RATE_LIMITS: variable(
    "on",
    "on, off for tests and benchmarks, or limits as class=requests/seconds, comma-separated",
    readRates,
  ),
  LOG_LEVEL: variable("info", logLevels.join(", "), (text) => oneOf(logLevels, text)),
  METRICS_PORT: variable("not served", "port of GET /metrics on HOST, never the public port", (text) =>
    readPort(text, 1),
  ),
  MAINTENANCE: variable(
    "off",
    "on, or the time (RFC 3339) until which the API answers 503 maintenance",
    readMaintenance,
  ),
  SMTP_URL: variable(
    "mail is kept in the outbox",
    "smtp:// or smtps:// address of the mail server, with user and password where it wants them",
    (text) => readUrl(text, /^smtps?:$/, "smtp://user:password@mail.example.com:587"),
  ),
  OUTBOX: variable(
    "on while PUBLIC_URL is loopback, with the key in the address that the start prints",
    "on or off: whether kept mail can be read at /dev/mail; with another PUBLIC_URL it asks for the secret in " +
      "DATA_DIR/operator-secret",
    (text) => oneOf(["on", "off"], text) === "on",
  ),
  MAIL_FROM: variable("svc <no-reply@host of PUBLIC_URL>", "sender of every mail", readSender),
  STORAGE_URL: variable(
    "files under DATA_DIR",
    "s3://key:secret@host/bucket?region=eu-central-1 of an S3 service (&insecure=1 for plain HTTP); " +
      "the key gets, puts and deletes objects and lists the bucket",
    (text) => readUrl(text, /^s3:$/, "s3://key:secret@s3.example.com/bucket?region=eu-central-1"),
  ),
  UPLOAD_LIMIT_MB: variable("100", "most MiB of an uploaded file, 1 to 5000", readMebibytes),
  CLAMD_URL: variable(
    "files are not scanned",
    "tcp://host:port or unix:/path of clamd, which scans every uploaded file before it is given out; " +
      "let its StreamMaxLength, MaxFileSize and MaxScanSize be at least UPLOAD_LIMIT_MB",
    readClamdUrl,
  ),
  EVENT_RETENTION_DAYS: variable(
    "400",
    "days for which events are kept, 90 or more, or forever; activity, receipts and undo reach back no further",
    readDays,
  ),
  AUDIT_RETENTION_DAYS: variable("forever", "days for which audit rows are kept, 90 or more, or forever", readDays),
  BACKUP_DIR: variable(
    "no backups by itself",
    "directory into which the worker backs up the service, verifies each backup and keeps the last ones; " +
      "another disk is best",
    (text) => resolve(text),
  ),
  BACKUP_EVERY: variable("24h", "time between two of them, 5m to 30d", readTime),
  BACKUP_KEEP: variable("7", "how many of them are kept, 1 to 1000", readCount),
  BACKUP_KEY_FILE: variable(
    "they are not encrypted",
    "file with the key that encrypts them, 32 bytes as base64url; keep a copy elsewhere",
    (text) => resolve(text),
  ),
  BREACH_RANGE_URL: variable(
    "not asked",
    "address of a range service of stolen passwords, asked with five hexadecimal digits of a SHA-1 and nothing else",
    (text) => readUrl(text, /^https?:$/, "https://ranges.example.com/range/"),
  ),
  MODEL_PROVIDER: variable(
    "no model: the assistant finds and quotes",
    "openai (also Ollama, vLLM and whatever speaks like it) or anthropic",
    (text) => oneOf(modelProviders, text),
  ),
  MODEL_URL: variable("that of the provider", "address of its API, for example http://127.0.0.1:11434/v1", (text) =>
    readUrl(text, /^https?:$/, "https://api.openai.com/v1").replace(/\/+$/, ""),
  ),
  MODEL_NAME: variable("needed with MODEL_PROVIDER", "the model, as its provider calls it", (text) => text),
  MODEL_KEY: variable("none is sent", "key of its API; sent to the origin of MODEL_URL only", (text) => text),
  ...runLimitVariables,
  STRIPE_SECRET_KEY: variable(
    "nothing is sold, everything is granted",
    "key of Stripe's API, best a restricted one; sent to the origin of STRIPE_URL only",
    (text) => text,
  ),
  STRIPE_WEBHOOK_SECRET: variable(
    "needed with STRIPE_SECRET_KEY",
    "what Stripe signs its events with (whsec_…); two, comma-separated, while one replaces the other",
    (text) => text.split(",").map((each) => each.trim()),
  ),
  STRIPE_PRICES: variable(
    "needed with STRIPE_SECRET_KEY",
    "what is sold, by the names of Stripe's prices: team=price_1,business=price_2 (each of a seat), " +
      "credits=price_3 (of 1000 knowledge credits)",
    readPrices,
  ),
  STRIPE_URL: variable("https://api.stripe.com", "origin of Stripe's API, for a stand-in of it", readOrigin),
  EGRESS_ALLOW: variable(
    "public addresses over https only",
    "origins, comma-separated, at which the model or the billing provider may be although they are not public or " +
      "not https: http://127.0.0.1:11434",
    (text) => text.split(",").map((each) => readOrigin(each.trim())),
  ),
  INTEGRATIONS_FILE: variable(
    "only integrations that need no registration",
    "path of a JSON file that says how the service is registered at GitHub, GitLab, Gitea, Slack, " +
      "Figma and the error tracker; docs/operate.md has its form",
    readApps,
  ),
  VOICE_ADDRESS: variable("HOST", "IPv4 address at which browsers reach voice sessions, over UDP", readVoiceAddress),
  VOICE_PORTS: variable("any free one", "UDP ports of voice sessions, for example 40000-40009", readVoicePorts),
  WEBHOOK_ALLOW: variable(
    "public addresses over https only",
    "origins, comma-separated, that webhooks may be sent to although they are not public or not https: " +
      "http://127.0.0.1:9000",
    (text) => text.split(",").map((each) => readOrigin(each.trim())),
  ),
  GIT_ALLOW: variable(
    "public addresses over https only",
    "origins, comma-separated, of Git servers that the knowledge repository may reach although they are not " +
      "public or not https: http://git.internal:3000",
    (text) => text.split(",").map((each) => readOrigin(each.trim())),
  ),
  PASSKEYS: variable(
    "on",
    "on, or off where the service has no fixed domain",
    (text) => oneOf(["on", "off"], text) === "on",
  ),
  OIDC_GOOGLE: variable("not offered", "OpenID provider: https://client_id:client_secret@issuer", readProvider),
  OIDC_MICROSOFT: variable("not offered", "OpenID provider: https://client_id:client_secret@issuer", readProvider),
  OIDC_APPLE: variable(
    "not offered",
    "OpenID provider that calls back with a form: https://client_id:client_secret@issuer",
    readProvider,
  ),
};

export function readConfig(env: NodeJS.ProcessEnv): Config {
  const faults: string[] = [];
  // An empty value counts as absent, because compose files and shells pass on unset variables that way.
  function read<K extends keyof typeof variables, D>(name: K, absent: D) {
    const text = env[name]?.trim();
    if (!text) return absent;
    try {
      return variables[name].read(text, env) as ReturnType<(typeof variables)[K]["read"]>;
    } catch (error) {
      faults.push(`${name}: ${(error as Error).message}`);
      return absent;
    }
  }
  const port = read("PORT", 8080);
  const config = {
    port,
    host: read("HOST", "127.0.0.1"),
    publicUrl: read("PUBLIC_URL", `http://localhost:${port}`),
    trustProxy: read("TRUST_PROXY", null),
    databaseUrl: read("DATABASE_URL", null),
    databaseWait: read("DATABASE_WAIT_SECONDS", 60),
    closeSeconds: read("CLOSE_SECONDS", CLOSE_SECONDS),
    dataDir: read("DATA_DIR", resolve("data")),
    roles: read("ROLES", roles),
    rateLimits: read("RATE_LIMITS", defaultRates),
    logLevel: read("LOG_LEVEL", "info" as const),
    metricsPort: read("METRICS_PORT", null),
    maintenance: read("MAINTENANCE", null),
    smtpUrl: read("SMTP_URL", null),
    outbox: read("OUTBOX", null),
    storageUrl: read("STORAGE_URL", null),
    uploadLimit: read("UPLOAD_LIMIT_MB", 100 * MEBIBYTE),
    clamdUrl: read("CLAMD_URL", null),
    eventRetentionDays: read("EVENT_RETENTION_DAYS", 400),
    auditRetentionDays: read("AUDIT_RETENTION_DAYS", null),
    backupDir: read("BACKUP_DIR", null),
    backupEvery: read("BACKUP_EVERY", 24 * 60 * 60),
    backupKeep: read("BACKUP_KEEP", 7),
    backupKeyFile: read("BACKUP_KEY_FILE", null),
    breachRangeUrl: read("BREACH_RANGE_URL", null),
    model: modelOf({
      provider: read("MODEL_PROVIDER", null),
      url: read("MODEL_URL", null),
      name: read("MODEL_NAME", null),
      key: read("MODEL_KEY", null),
    }),
    runLimits: {
      turnsPerHour: read("DISCUSS_TURNS_PER_HOUR", defaultRunLimits.turnsPerHour),
      perPerson: read("RUNS_PER_PERSON", defaultRunLimits.perPerson),
      perWorkspace: read("RUNS_PER_WORKSPACE", defaultRunLimits.perWorkspace),
    },
    billing: billingOf({
      url: read("STRIPE_URL", null),
      key: read("STRIPE_SECRET_KEY", null),
      webhookSecrets: read("STRIPE_WEBHOOK_SECRET", null),
      prices: read("STRIPE_PRICES", null),
    }),
    egressAllow: read("EGRESS_ALLOW", []),
    apps: read("INTEGRATIONS_FILE", {}),
    voice: { address: read("VOICE_ADDRESS", null), ports: read("VOICE_PORTS", null) },
    webhookAllow: read("WEBHOOK_ALLOW", []),
    gitAllow: read("GIT_ALLOW", []),
    passkeys: read("PASSKEYS", true),
    providers: present({
      google: read("OIDC_GOOGLE", null),
      microsoft: read("OIDC_MICROSOFT", null),
      apple: read("OIDC_APPLE", null),
    }),
  };
  const mailFrom = read("MAIL_FROM", `svc <no-reply@${new URL(config.publicUrl).hostname}>`);
  const givenKeys = read("SECRET_KEYS", null);
  if (config.metricsPort !== null && config.metricsPort === port)
    faults.push(`METRICS_PORT: ${port} is PORT; metrics need a port of their own`);
  if (config.model === undefined) faults.push("MODEL_NAME: is not set; MODEL_PROVIDER needs the name of a model");
  const { billing } = config;
  if (Array.isArray(billing)) faults.push(...billing);
  if (faults.length > 0 || Array.isArray(billing)) throw new ConfigError(faults);
  try {
    const secretKeys = givenKeys ?? loadSecretKeys(config.dataDir);
    return {
      ...config,
      billing,
      model: config.model ?? null,
      mailFrom,
      secretKeys,
      keysFrom: givenKeys ? "SECRET_KEYS" : keyFile(config.dataDir),
    };
  } catch (error) {
    throw dataDirFault(config.dataDir, error);
  }
}

// With PORT=0 the port is known only after listening.
export function listeningOn(config: Config, port: number): Config {
  return { ...config, port, publicUrl: config.publicUrl.replace(/:0$/, `:${port}`) };
}

function readProvider(text: string): SignInProvider {
  const url = new URL(readUrl(text, /^https?:$/, "https://client_id:client_secret@accounts.example.com"));
  const [clientId, clientSecret] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  if (clientId === "" || clientSecret === "") throw new Error("has no client_id:client_secret@ before the issuer");
  url.username = "";
  url.password = "";
  return { issuer: url.href.replace(/\/$/, ""), clientId, clientSecret };
}

const present = <T extends Record<string, unknown>>(values: T) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };

function readRoles(text: string): readonly ProcessRole[] {
  const words = text.split(",").map((word) => word.trim());
  return [...new Set(words.map((word) => oneOf(roles, word)))];
}
