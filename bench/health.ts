// Requests /healthz from a server every 20 ms between "go" and "stop", on a connection that is already open. In a
// process of its own: in the benchmark's process it would wait for other work.
import { connect, type Socket } from "node:net";

let times: number[] = [];
let going = false;
let sentAt = 0;
let socket = open();

/** Opens another connection if the server closed an idle one. */
function open(): Socket {
  return connect({ port: Number(process.env.BENCH_PORT), host: "127.0.0.1", noDelay: true })
    .on("data", answered)
    .on("close", () => {
      if (going) throw new Error("the connection was closed while /healthz was asked");
      socket = open();
    });
}
function ask() {
  sentAt = performance.now();
  socket.write("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
}
function answered() {
  times.push(performance.now() - sentAt);
  if (going) setTimeout(ask, 20);
  else process.send?.(times);
}
process.on("message", (what: "go" | "stop") => {
  going = what === "go";
  if (!going) return;
  times = [];
  ask();
});
