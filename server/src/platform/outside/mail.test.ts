// Mail against a real mail server: accepted once, refused, slow, and the outbox of a machine that has none.
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { type IncomingHttpHeaders, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { type MailServer, startMailServer } from "../../../test/smtp.ts";
import { service, type TestService, testConfig, testKeys } from "../../../test/world.ts";
import { outboxKey } from "../../surfaces/reference/mailbox.ts";
import { enqueue } from "../background/jobs.ts";
import { newId } from "../wire/ids.ts";
import { secretBox } from "../wire/secret-box.ts";
import type { Letter } from "./external-systems.ts";
import { letter } from "./letter.ts";
import { openMail, TIMEOUTS } from "./mail.ts";

let server: MailServer;
const secrets = secretBox(testKeys);
const started = startMailServer();
const withServer = service({
  roles: ["api", "worker"],
  smtpUrl: (await started).url,
  mailFrom: "svc <post@example.com>",
});
const without = service({ roles: ["api", "worker"] });
beforeAll(async () => {
  server = await started;
});
afterAll(() => server.stop());

const to = () => `${newId()}@example.com`;
const greeting = (address: string): Letter =>
  letter({
    to: address,
    subject: "Hello",
    paragraphs: ["Good day."],
    action: { label: "Open", url: "http://localhost/x" },
  });
const arrived = (address: string) =>
  server.accepted.filter((mail) => [mail.to ?? []].flat().some(({ value }) => value[0]?.address === address));
const post = (running: TestService, id: string, one: Letter) =>
  running.database.writer.use((tx) => enqueue(tx, "send_mail", { id, sealed: secrets.seal(JSON.stringify(one), id) }));
const openTo = (smtpUrl: string, timeouts = TIMEOUTS) =>
  openMail({ smtpUrl, mailFrom: "svc <post@example.com>" } as never, withServer.database, secrets, timeouts);

test("a posted letter arrives in text and in HTML, from the configured sender, marked as written by a machine", async () => {
  const [address, id] = [to(), newId()];
  await post(withServer, id, greeting(address));
  await eventually(() => expect(arrived(address)).toHaveLength(1));
  const mail = arrived(address)[0];
  expect(mail?.from?.value[0]).toMatchObject({ address: "post@example.com", name: "svc" });
  expect(mail?.messageId).toBe(`<${id}@example.com>`);
  expect(mail?.text).toContain("http://localhost/x");
  expect(mail?.html).toContain('href="http://localhost/x"');
  expect(mail?.headers.get("auto-submitted")).toBe("auto-generated");
});

test("a job that runs again for the same letter sends nothing", async () => {
  const [address, id, last] = [to(), newId(), to()];
  await post(withServer, id, greeting(address));
  await eventually(() => expect(arrived(address)).toHaveLength(1));
  const noted = () => withServer.sql("select from mail_outbox where id = $1", [id]);
  await eventually(async () => expect(await noted()).toHaveLength(1));
  await post(withServer, id, greeting(address));
  await post(withServer, newId(), greeting(last));
  await eventually(() => expect(arrived(last)).toHaveLength(1));
  expect(arrived(address)).toHaveLength(1);
});

test("an address that the server refuses for good is given up; a refusal for now is tried again", async () => {
  const mail = openTo(server.url);
  const run = (id: string, one: Letter) =>
    mail.jobs.send_mail?.({ id, sealed: secrets.seal(JSON.stringify(one), id) }, { logger: { warn() {} } } as never);
  const [gone, later] = [to(), to()];
  const [goneId, laterId] = [newId(), newId()];
  server.refuseWith = 550;
  await run(goneId, greeting(gone));
  server.refuseWith = 451;
  await expect(run(laterId, greeting(later))).rejects.toThrow();
  server.refuseWith = null;
  await run(goneId, greeting(gone));
  await run(laterId, greeting(later));
  expect([arrived(gone).length, arrived(later).length]).toEqual([0, 1]);
  mail.close();
});

test("a letter that the answer waits for is refused with 503 when the server refuses, is slow or is away", async () => {
  const mail = openTo(server.url);
  server.refuseWith = 550;
  await expect(mail.send(greeting(to()), newId())).rejects.toMatchObject({ code: "delivery_unavailable" });
  server.refuseWith = null;
  server.delayMs = 9000;
  const impatient = openTo(server.url, { ...TIMEOUTS, socketTimeout: 300 });
  await expect(impatient.send(greeting(to()), newId())).rejects.toMatchObject({ code: "delivery_unavailable" });
  server.delayMs = 0;
  await mail.send(greeting(to()), newId());
  const away = openTo("smtp://127.0.0.1:1");
  await expect(away.send(greeting(to()), newId())).rejects.toMatchObject({ code: "delivery_unavailable" });
  for (const one of [mail, impatient, away]) one.close();
});

test("a subject or an address that a person chose adds neither header nor recipient", async () => {
  const address = to();
  const other = to();
  const mail = openTo(server.url);
  await mail.send(
    letter({ to: address, subject: `Hi\r\nBcc: ${other}`, paragraphs: [`<script>alert(1)</script>`] }),
    newId(),
  );
  expect(arrived(address)).toHaveLength(1);
  expect(arrived(address)[0]?.subject).toBe(`Hi Bcc: ${other}`);
  expect(arrived(address)[0]?.html).not.toContain("<script>");
  await expect(mail.send(greeting(`${address}, ${other}`), newId())).rejects.toMatchObject({
    code: "delivery_unavailable",
  });
  expect(arrived(other)).toHaveLength(0);
  mail.close();
});

const mailbox = (running: TestService, headers: Record<string, string> = {}, path = "/dev/mail") =>
  new Promise<{ status: number; text: string; headers: IncomingHttpHeaders }>((resolve, reject) => {
    const { port } = new URL(running.url);
    request({ host: "127.0.0.1", port, path, headers: { host: `localhost:${port}`, ...headers } }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode as number, text, headers: response.headers }));
    })
      .on("error", reject)
      .end();
  });

/** The cookie that the printed address sets. */
const opened = async (running: TestService) => {
  const { status, headers } = await mailbox(running, {}, `/dev/mail?key=${outboxKey(testConfig)}`);
  expect([status, headers.location]).toEqual([303, "/dev/mail"]);
  const [cookie = ""] = headers["set-cookie"] ?? [];
  expect(cookie).toMatch(/^svc_outbox=[\w-]{32}; Path=\/dev\/mail; HttpOnly; SameSite=Lax$/);
  return { cookie: cookie.split(";")[0] as string };
};

test("without a mail server letters are sealed, and readable at /dev/mail with the key that the start prints", async () => {
  const [address, id] = [to(), newId()];
  // A letter whose key was lost is skipped.
  const lost = secretBox([{ id: "lost", key: randomBytes(32) }]).seal("it", "somewhere");
  await without.sql("insert into mail_outbox (id, sealed) values ($1, $2)", [newId(), lost]);
  await post(without, id, greeting(address));
  const known = await opened(without);
  await eventually(async () => expect((await mailbox(without, known)).text).toContain(address));
  expect((await mailbox(without, known, `/dev/mail/${id}`)).text).toContain("http://localhost/x");
  expect((await mailbox(without, known, `/dev/mail/${newId()}`)).status).toBe(404);
  const [row] = await without.sql<{ sealed: string }>("select sealed from mail_outbox where id = $1", [id]);
  expect(row?.sealed).not.toContain("localhost");
});

test("without the key nobody reads it: a proxy that adds no header looks like a browser on this machine", async () => {
  const id = newId();
  await post(without, id, greeting(to()));
  await eventually(async () =>
    expect((await mailbox(without, await opened(without), `/dev/mail/${id}`)).status).toBe(200),
  );
  for (const headers of [{}, { cookie: "svc_outbox=" }, { cookie: `svc_outbox=${"x".repeat(32)}` }])
    for (const path of ["/dev/mail", `/dev/mail/${id}`, "/dev/mail?key=", "/dev/mail?key=wrong"]) {
      const { status, headers: answered } = await mailbox(without, headers as Record<string, string>, path);
      expect([status, answered["www-authenticate"] !== undefined], path).toEqual([401, true]);
      expect(answered["set-cookie"]).toBeUndefined();
    }
});

test("without the key the mailbox does not exist for another name or behind a proxy; with a mail server it never does", async () => {
  expect((await mailbox(without, { host: "evil.example:80" })).status).toBe(404);
  for (const name of ["forwarded", "via", "x-forwarded-for", "x-forwarded-proto", "x-real-ip"])
    expect((await mailbox(without, { [name]: "203.0.113.9" })).status, name).toBe(404);
  expect((await mailbox(withServer)).status).toBe(404);
  expect((await mailbox(withServer, {}, `/dev/mail?key=${outboxKey(testConfig)}`)).status).toBe(404);
});

describe("a service that is published under another name", () => {
  const published = { publicUrl: "https://svc.example.com:0", smtpUrl: null };
  const dataDir = mkdtempSync(join(tmpdir(), "svc-outbox-"));
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));
  const closed = service(published);
  const off = service({ smtpUrl: null, outbox: false });
  const open = service({ ...published, outbox: true, dataDir, roles: ["api", "worker"] });
  const basic = (password: string) => ({ authorization: `Basic ${Buffer.from(`x:${password}`).toString("base64")}` });

  test("has no mailbox unless it is switched on, and none where it is switched off", async () => {
    expect((await mailbox(closed)).status).toBe(404);
    expect((await mailbox(off)).status).toBe(404);
  });

  test("asks for the operator's secret, which stands in DATA_DIR and is nobody else's to read", async () => {
    const file = join(dataDir, "operator-secret");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const secret = readFileSync(file, "utf8").trim();
    for (const headers of [{}, basic(""), basic("wrong"), basic(`${secret}x`), { authorization: `Bearer ${secret}` }])
      expect((await mailbox(open, headers as Record<string, string>)).status).toBe(401);
    expect((await mailbox(open, { ...basic("wrong"), host: "svc.example.com" })).text).toContain(
      "operator_secret_required",
    );
    const [address, id] = [to(), newId()];
    await post(open, id, greeting(address));
    const known = { ...basic(secret), host: "svc.example.com", "x-forwarded-for": "203.0.113.9" };
    await eventually(async () => expect((await mailbox(open, known)).text).toContain(address));
    expect((await mailbox(open, known, `/dev/mail/${id}`)).status).toBe(200);
    expect((await mailbox(open, {}, `/dev/mail/${id}`)).status).toBe(401);
  });

  test("does not tell its pages of an outbox that a browser on this machine could open", async () => {
    for (const running of [closed, open, off])
      expect((await mailbox(running, {}, "/login")).text).toContain('"outbox":false');
  });
});
