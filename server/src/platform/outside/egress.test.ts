// The one way out: nothing inside is reached, by whatever name or spelling, and nothing outside can hold us or fill us.
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, createServer as createSocketServer } from "node:net";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { certificateFor } from "../../../test/certificate.ts";
import { EgressError, type EgressFault, egress, egressTo } from "./egress.ts";
import { isPublicAddress } from "./public-address.ts";

const servers: { close(): unknown }[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}
const plain = async (listener: RequestListener) => `http://127.0.0.1:${await listen(createServer(listener))}`;
const faultOf = (work: Promise<unknown>): Promise<EgressFault | "none"> =>
  work.then(
    () => "none",
    (error) => (error instanceof EgressError ? error.fault : Promise.reject(error)),
  );
const resolvingTo = (...addresses: string[]) =>
  egressTo({ resolve: async () => addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })) });

describe("an address", () => {
  // biome-ignore format: a corpus reads best as a block.
  const inside = ["0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.254", "169.254.0.1", "169.254.169.254",
    "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.0.171", "192.0.2.1", "192.88.99.1", "192.168.0.1", "192.168.255.255", "198.18.0.1", "198.19.255.255", "198.51.100.7",
    "203.0.113.9", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255",
    "::", "::1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:7f00:1", "::127.0.0.1", "::8.8.8.8", "64:ff9b::7f00:1", "64:ff9b::8.8.8.8", "64:ff9b:1::1", "100::1", "2001::1",
    "2001:0:4136:e378::1", "2001:2::1", "2001:10::1", "2001:db8::1", "2002:7f00:1::", "2002:a00:1::", "3fff::1", "5f00::1", "fc00::1", "fd12:3456:789a::1", "fd00:ec2::254", "fe80::1",
    "fe80::1%eth0", "febf::1", "fec0::1", "ff02::1", "ff0e::1", "4000::1", "localhost", "", "1.2.3", "8.8.8.8.8"];
  test.each(inside)("%s is not public", (address) => expect(isPublicAddress(address)).toBe(false));
  // biome-ignore format: as above.
  const outside = ["1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.1", "169.253.255.255", "169.255.0.0",
    "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "2001:200::1", "2003::1", "2606:4700::1111", "2a00:1450::1", "3ffe::1"];
  test.each(outside)("%s is public", (address) => expect(isPublicAddress(address)).toBe(true));
});

describe("a URL", () => {
  // biome-ignore format: as above.
  const spellings = ["127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.0.0.1", "0x7f.1", "0177.0.0.1", "017700000001", "127.0.0.1.", "①②⑦.⓪.⓪.①", "127。0。0。1", "0", "0.0.0.0",
    "169.254.169.254", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "10.0.0.1", "012.0.0.1", "192.168.1.1", "3232235777", "[::]", "[::1]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:7f00:0001]", "[::127.0.0.1]", "[64:ff9b::127.0.0.1]", "[2002:7f00:1::]", "[fd00::1]", "[fe80::1]", "[ff02::1]"];
  test.each(spellings)("with the host %s reaches nothing", async (host) => {
    expect(await faultOf(egress(`https://${host}/`))).toBe("address");
    expect(await faultOf(egress(`https://${host}:8443/path?query#fragment`))).toBe("address");
  });

  test.each([
    "http://example.com/",
    "http://93.184.215.14/",
    "ftp://example.com/",
    "file:///etc/passwd",
    "gopher://127.0.0.1:6379/_INFO",
    "data:text/plain,x",
    "javascript:1",
    "https://user:password@example.com/",
    "https://user@example.com/",
    "//example.com/",
    "/local",
    "https://",
    "https://exa mple.com/",
    "https://[::1",
    "https://[fe80::1%25eth0]/",
    "",
  ])("%s is refused before anything is resolved", async (url) => {
    const strict = egressTo({ resolve: () => expect.fail("must not be resolved") });
    expect(await faultOf(strict(url))).toBe("url");
  });
});

describe("a name", () => {
  test("that resolves to something inside is refused", async () => {
    for (const name of ["localhost", "LOCALHOST.", "a.localhost"])
      expect(["address", "name"], name).toContain(await faultOf(egress(`https://${name}/`)));
    for (const address of ["127.0.0.1", "169.254.169.254", "::1", "::ffff:10.0.0.1", "fd00:ec2::254", "100.64.0.1"])
      expect(await faultOf(resolvingTo(address)("https://name.example/")), address).toBe("address");
  });

  test("one of whose addresses is inside is refused, wherever that one stands", async () => {
    expect(await faultOf(resolvingTo("8.8.8.8", "127.0.0.1")("https://name.example/"))).toBe("address");
    expect(await faultOf(resolvingTo("2606:4700::1111", "8.8.8.8", "fd00::1")("https://name.example/"))).toBe(
      "address",
    );
  });

  test("that does not resolve, or to nothing, is refused", async () => {
    expect(await faultOf(resolvingTo()("https://name.example/"))).toBe("name");
    const failing = egressTo({ resolve: () => Promise.reject(new Error("SERVFAIL")) });
    expect(await faultOf(failing("https://name.example/"))).toBe("name");
  });

  test("whose resolution never ends is given up in time", async () => {
    const hanging = egressTo({ resolve: () => new Promise(() => {}) });
    expect(await faultOf(hanging("https://name.example/", { ms: 30 }))).toBe("time");
  });

  test("is resolved once, and the connection goes to what was checked, under the certificate of the name", async () => {
    const { cert, key } = certificateFor("pinned.example");
    const hosts: unknown[] = [];
    const port = await listen(
      createSecureServer({ cert, key }, ({ headers, socket }, response) => {
        hosts.push([headers.host, (socket as unknown as { servername: string }).servername]);
        response.end("reached");
      }),
    );
    let asked = 0;
    const resolve = async () => {
      asked++;
      return [{ address: asked === 1 ? "127.0.0.1" : "127.0.0.99", family: 4 }];
    };
    const origin = `https://pinned.example:${port}`;
    const { status, body } = await egressTo({ allow: [origin], resolve, ca: cert })(`${origin}/path`);
    expect([status, body.toString(), asked]).toEqual([200, "reached", 1]);
    expect(hosts).toEqual([[`pinned.example:${port}`, "pinned.example"]]);
    // The same server under another name, and with a certificate that nobody trusts.
    asked = 0;
    const other = `https://other.example:${port}`;
    expect(await faultOf(egressTo({ allow: [other], resolve, ca: cert })(other))).toBe("connection");
    asked = 0;
    expect(await faultOf(egressTo({ allow: [origin], resolve })(origin))).toBe("connection");
  });
});

describe("an answer", () => {
  test("comes back with its status, headers and bytes", async () => {
    const origin = await plain((request, response) => {
      response.writeHead(404, { "content-type": "text/plain", "x-two": ["a", "b"] });
      response.end(JSON.stringify([request.method, request.url, request.headers["x-sent"]]));
    });
    const answer = await egressTo({ allow: [origin] })(`${origin}/a?b=c#d`, { headers: { "x-sent": "yes" } });
    expect(answer.status).toBe(404);
    expect(answer.headers.get("x-two")).toBe("a, b");
    expect(JSON.parse(answer.body.toString())).toEqual(["GET", "/a?b=c", "yes"]);
  });

  test("is asked for with a body where one is given", async () => {
    const origin = await plain((request, response) => void request.pipe(response));
    const body = Buffer.from("payload");
    expect((await egressTo({ allow: [origin] })(origin, { method: "POST", body })).body).toEqual(body);
  });

  test("that redirects is not followed", async () => {
    let followed = false;
    const inside = await plain((_request, response) => {
      followed = true;
      response.end();
    });
    const origin = await plain((_request, response) => void response.writeHead(302, { location: inside }).end());
    const answer = await egressTo({ allow: [origin, inside] })(origin);
    expect([answer.status, answer.headers.get("location"), followed]).toEqual([302, inside, false]);
  });

  test("is taken at its bound and refused one byte past it, declared or not", async () => {
    const origin = await plain(({ url }, response) => {
      const [, framing, size] = (url as string).split("/");
      if (framing === "declared") response.setHeader("content-length", Number(size));
      response.write("x".repeat(Number(size) - 1));
      response.end("x");
    });
    const out = egressTo({ allow: [origin] });
    for (const framing of ["declared", "chunked"]) {
      expect((await out(`${origin}/${framing}/1000`, { bytes: 1000 })).body).toHaveLength(1000);
      expect(await faultOf(out(`${origin}/${framing}/1001`, { bytes: 1000 })), framing).toBe("size");
    }
  });

  test("that does not end, or never begins, is given up in time", async () => {
    const dripping = await plain((_request, response) => {
      // Wait: drips until it is cut off.
      const timer = setInterval(() => response.write("x"), 5);
      response.on("close", () => clearInterval(timer));
    });
    expect(await faultOf(egressTo({ allow: [dripping] })(dripping, { ms: 60 }))).toBe("time");
    const silent = createSocketServer((socket) => void socket.on("error", () => {}));
    const port = await listen(silent as Server);
    const origin = `http://127.0.0.1:${port}`;
    expect(await faultOf(egressTo({ allow: [origin] })(origin, { ms: 60 }))).toBe("time");
  });

  test("that is cut off, or is no HTTP, is a failed connection", async () => {
    const cut = await plain((_request, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("x", () => response.destroy());
    });
    expect(await faultOf(egressTo({ allow: [cut] })(cut))).toBe("connection");
    const babble = createSocketServer((socket) => void socket.on("error", () => {}).end("nonsense\r\n\r\n"));
    const origin = `http://127.0.0.1:${await listen(babble as Server)}`;
    expect(await faultOf(egressTo({ allow: [origin] })(origin))).toBe("connection");
  });

  test("is not decompressed: a small answer stays small", async () => {
    const asked: unknown[] = [];
    const origin = await plain(({ headers }, response) => {
      asked.push(headers["accept-encoding"]);
      response.writeHead(200, { "content-encoding": "gzip" }).end("not really");
    });
    const out = egressTo({ allow: [origin] });
    const answer = await out(origin, { headers: { "accept-encoding": "gzip" } });
    expect([answer.body.toString(), asked]).toEqual(["not really", ["identity"]]);
  });
});

test("an allowance is for one origin: not for another port, scheme or host of the same machine", async () => {
  const origin = await plain((_request, response) => void response.end("reached"));
  const out = egressTo({ allow: [origin] });
  expect((await out(origin)).status).toBe(200);
  expect(await faultOf(out(origin.replace(/\d+$/, (port) => String(Number(port) - 1))))).toBe("url");
  expect(await faultOf(out(origin.replace("http:", "https:")))).toBe("address");
  expect(await faultOf(out(origin.replace("127.0.0.1", "localhost")))).toBe("url");
  expect(await faultOf(egress(origin))).toBe("url");
});

describe("an answer that is read piece by piece", () => {
  const read = async (pieces: AsyncIterable<Buffer>) => {
    let text = "";
    for await (const piece of pieces) text += piece;
    return text;
  };
  const open = (origin: string) => egressTo({ allow: [origin] });

  test("comes as it is sent, and a body is sent with it", async () => {
    const origin = await plain((request, response) => {
      response.writeHead(201, { "x-method": request.method });
      request.on("data", (piece) => response.write(`heard ${piece}`)).on("end", () => response.end("."));
    });
    const answer = await open(origin).stream(`${origin}/`, { method: "POST", body: Buffer.from("gears") });
    expect([answer.status, answer.headers.get("x-method")]).toEqual([201, "POST"]);
    expect(await read(answer.body)).toBe("heard gears.");
  });

  test("may last, and may not fall silent or grow without end", async () => {
    let response: ServerResponse | undefined;
    const origin = await plain((_request, answering) => {
      response = answering;
      response.write("a");
    });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const stream = async (limits: object) => (await open(origin).stream(origin, limits)).body[Symbol.asyncIterator]();
    const lasting = await stream({ ms: 250 });
    expect(String((await lasting.next()).value)).toBe("a");
    for (let at = 0; at < 5; at++) {
      vi.advanceTimersByTime(249);
      response?.write("b");
      expect(String((await lasting.next()).value)).toBe("b");
    }
    // The same exchange falls silent after 1,245 ms.
    const silent = faultOf(lasting.next());
    vi.advanceTimersByTime(250);
    expect(await silent).toBe("time");
    const endless = await stream({ bytes: 3 });
    await endless.next();
    response?.write("bbb");
    expect(await faultOf(endless.next())).toBe("size");
  });

  test("ends when nobody wants it any more", async () => {
    const left = Promise.withResolvers<void>();
    const origin = await plain((_request, response) => {
      response.on("close", left.resolve).write("a");
    });
    const stop = new AbortController();
    const { body } = await open(origin).stream(`${origin}/`, { signal: stop.signal });
    const reading = read(body);
    stop.abort(new Error("stopped"));
    await expect(reading).rejects.toThrow("stopped");
    await left.promise;
  });

  test("a credential goes to its own origin, and nothing is sent with it to another", async () => {
    const seen: (string | undefined)[] = [];
    const listener: RequestListener = (request, response) => {
      seen.push(request.headers["x-key"] as string | undefined);
      response.end("ok");
    };
    const [own, other] = [await plain(listener), await plain(listener)];
    const credential = { origin: own, headers: { "x-key": "secret" } };
    const both = egressTo({ allow: [own, other] });
    expect(await read((await both.stream(`${own}/`, { credential })).body)).toBe("ok");
    expect(await faultOf(both.stream(`${other}/`, { credential }))).toBe("url");
    expect(seen).toEqual(["secret"]);
  });
});
