// Objects in an S3 service, addressed by path. Requests and presigned URLs carry Signature Version 4; an upload's URL is signed with its
// length and type among the headers, so that the service refuses any other. The operator has chosen the address: it may be private.
import { AwsV4Signer } from "aws4fetch";
import { ConfigError } from "./config-error.ts";
import { contentDisposition } from "./content-disposition.ts";
import { sha256 } from "./ids.ts";
import type { Grant, Storage } from "./outside.ts";
import { Refusal } from "./problem.ts";

const ATTEMPTS = 2;
const ATTEMPT_MS = 4000;

export function s3Storage(address: string): Storage {
  const { base, ...credentials } = parseStorageUrl(address);
  const signing = { ...credentials, service: "s3", cache: new Map() };
  const urlOf = (key: string) => new URL(`${base}/${key}`);

  async function send(method: string, key: string, body?: Buffer, type?: string): Promise<Response> {
    const headers = {
      "x-amz-content-sha256": sha256(body ?? "").toString("hex"),
      ...(type === undefined ? {} : { "content-type": type }),
    };
    for (let attempt = 1; ; attempt++) {
      const signed = await new AwsV4Signer({
        ...signing,
        method,
        url: urlOf(key).href,
        headers,
        allHeaders: true,
      }).sign();
      const answer = await fetch(signed.url, {
        method,
        headers: signed.headers,
        body: body as never,
        redirect: "manual",
        signal: AbortSignal.timeout(ATTEMPT_MS),
      }).catch((error: unknown) => error as Error);
      if (answer instanceof Response && answer.status < 500) return answer;
      if (attempt === ATTEMPTS) throw new Refusal("overloaded", { retry_after: 5 });
    }
  }

  async function presign({ method, key, seconds, length, type, filename }: Grant): Promise<string> {
    const url = urlOf(key);
    url.searchParams.set("X-Amz-Expires", String(seconds));
    if (method === "GET") url.searchParams.set("response-content-disposition", contentDisposition(filename));
    const headers = method === "PUT" ? { "content-length": String(length), "content-type": type as string } : undefined;
    const signer = new AwsV4Signer({ ...signing, method, url: url.href, headers, signQuery: true, allHeaders: true });
    // A plus is a space to a form and a plus to the signature.
    return (await signer.sign()).url.href.replaceAll("+", "%20");
  }

  return {
    async put(key, bytes, type) {
      await expectDone(await send("PUT", key, bytes, type));
    },
    async get(key) {
      const answer = await send("GET", key);
      if (answer.status === 404) return undefined;
      await expectDone(answer, false);
      return Buffer.from(await answer.arrayBuffer());
    },
    async delete(key) {
      const answer = await send("DELETE", key);
      if (answer.status !== 404) await expectDone(answer);
    },
    signedUrl: presign,
  };
}

/** What the service refuses is a fault of the configuration or of ours. */
async function expectDone(answer: Response, drain = true): Promise<void> {
  if (!answer.ok) throw new Error(`the S3 service answered ${answer.status} ${(await answer.text()).slice(0, 500)}`);
  if (drain) await answer.arrayBuffer();
}

/** s3://key:secret@host/bucket?region=eu-central-1&insecure=1. The messages never show the secret. */
export function parseStorageUrl(text: string) {
  const url = new URL(text);
  const faults: string[] = [];
  const [, bucket = "", ...more] = url.pathname.replace(/\/$/, "").split("/");
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket) || more.length > 0)
    faults.push("STORAGE_URL: has no bucket as its path; set s3://key:secret@host/bucket");
  const [accessKeyId, secretAccessKey] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  if (accessKeyId === "" || secretAccessKey === "")
    faults.push("STORAGE_URL: has no key:secret@ before the host; set s3://key:secret@host/bucket");
  const { region = "us-east-1", insecure, ...unknown } = Object.fromEntries(url.searchParams);
  if (insecure !== undefined && insecure !== "1")
    faults.push("STORAGE_URL: insecure can only be 1; leave it out for https");
  for (const name of Object.keys(unknown)) faults.push(`STORAGE_URL: ${name} is not known; set region or insecure`);
  if (faults.length > 0) throw new ConfigError(faults);
  const base = `${insecure === "1" ? "http" : "https"}://${url.host}/${bucket}`;
  return { base, accessKeyId, secretAccessKey, region };
}
