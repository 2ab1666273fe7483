// The service behind nginx, as operate/nginx.conf sets it up.
import { join } from "node:path";
import { findProxy } from "../../scripts/proxies.mjs";
import { behind } from "./behind-proxy.ts";
import { proxyRules } from "./behind-proxy-rules.ts";

proxyRules(
  await behind({
    file: "nginx.conf",
    program: findProxy("nginx") ?? "",
    changes: ({ tls, plain, service, cert, key }) => [
      ["listen 80;", `listen 127.0.0.1:${plain};`],
      ["listen 443 ssl http2;", `listen 127.0.0.1:${tls} ssl http2;`],
      ["server 127.0.0.1:8080;", `server 127.0.0.1:${service};`],
      ["server_name svc.example.com;", "server_name localhost;"],
      ["/etc/ssl/svc/fullchain.pem", cert],
      ["/etc/ssl/svc/key.pem", key],
    ],
    // Around it what Debian's own nginx.conf has: gzip on.
    start: ({ directory }, config) => ({
      args: ["-e", "stderr", "-p", directory, "-c", join(directory, "main.conf")],
      main: `daemon off; worker_processes 1; error_log stderr; pid nginx.pid;
events {}
http {
  access_log off; gzip on; gzip_types application/json;
  ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${name};`).join(" ")}
  include ${config};
}
`,
    }),
  }),
);
