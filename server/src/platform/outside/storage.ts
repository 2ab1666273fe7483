// Stored objects behind one interface: files under DATA_DIR, or an S3 service if STORAGE_URL names one. An object is
// written once under a key of its own; a caller never chooses a key, and reaches an object only through a URL signed
// for one operation.
import type { Config } from "../settings/config.ts";
import type { Grant, Storage } from "./external-systems.ts";
import { fileStorage } from "./storage-files.ts";
import { s3Storage } from "./storage-s3.ts";

export function openStorage(config: Config, origin: () => string): Storage {
  const storage = config.storageUrl === null ? fileStorage(config, origin) : s3Storage(config.storageUrl);
  return {
    put: async (key, bytes, type) => storage.put(checkedKey(key), bytes, checkedType(type)),
    get: async (key) => storage.get(checkedKey(key)),
    open: async (key) => storage.open(checkedKey(key)),
    move: async (from, to, version) => storage.move(checkedKey(from), checkedKey(to), version),
    delete: async (key) => storage.delete(checkedKey(key)),
    write: async (key, object) => storage.write(checkedKey(key), { ...object, type: checkedType(object.type) }),
    isEmpty: () => storage.isEmpty(),
    check: (thorough) => storage.check(thorough),
    signedUrl: async (grant) => storage.signedUrl(checkedGrant(grant)),
    uploadHeaders: (grant) => storage.uploadHeaders(checkedGrant(grant)),
    uploadLimit: config.uploadLimit,
  };
}

// Failed checks below are bugs of ours: a key never contains user input, and a type is validated before it arrives
// here.

/**
 * Allows segments of lower-case letters, digits, hyphens and underscores: nothing that a path, a URL or S3 would
 * interpret.
 */
function checkedKey(key: string): string {
  if (!/^[a-z0-9_-]+(?:\/[a-z0-9_-]+)*$/.test(key) || key.length > 200) throw new Error("not a key of stored objects");
  return key;
}

function checkedType(type: string): string {
  if (!/^[\w.+-]+\/[\w.+-]+(?:; ?charset=[\w-]+)?$/.test(type) || type.length > 127)
    throw new Error("not a media type");
  return type;
}

const MOST_SECONDS = 60 * 60;

function checkedGrant(grant: Grant): Grant {
  const { method, key, seconds, length, type, sha256, filename } = grant;
  checkedKey(key);
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > MOST_SECONDS) throw new Error("not a lifetime of a URL");
  if (method === "PUT" && !(Number.isSafeInteger(length) && (length as number) >= 0 && type !== undefined))
    throw new Error("an upload has a length and a type");
  if (method === "PUT") checkedType(type as string);
  if (method === "PUT" ? filename !== undefined : (length ?? type ?? sha256) !== undefined)
    throw new Error(`not for ${method}`);
  if (sha256 !== undefined && !/^[0-9a-f]{64}$/.test(sha256)) throw new Error("not a checksum");
  return grant;
}
