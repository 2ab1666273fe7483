// The service behind Caddy, as operate/Caddyfile sets it up. The certificate is given, because nobody here would sign
// one.
import { join } from "node:path";
import { findProxy } from "../../scripts/proxies.mjs";
import { behind } from "./behind-proxy.ts";
import { proxyRules } from "./behind-proxy-rules.ts";

proxyRules(
  await behind({
    file: "Caddyfile",
    program: findProxy("caddy") ?? "",
    changes: ({ tls, service, cert, key }) => [
      ["svc.example.com {", `https://localhost:${tls} {\n\ttls ${cert} ${key}`],
      ["127.0.0.1:8080", `127.0.0.1:${service}`],
    ],
    start: ({ directory, plain, tls }, config) => ({
      args: ["run", "--adapter", "caddyfile", "--config", join(directory, "main.conf")],
      main: `{
	admin off
	default_bind 127.0.0.1
	http_port ${plain}
	https_port ${tls}
}
import ${config}
`,
      env: { HOME: directory, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory },
    }),
  }),
);
