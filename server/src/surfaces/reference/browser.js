// Runs in the browser, on the page of the interactive reference. Requests that are tried there carry what a browser application
// would send: the session cookie goes along by itself, the CSRF token comes from its cookie, and a write gets a key of its own.
// Nothing on this page talks to any other host; the page's Content-Security-Policy enforces that.
const EXAMPLE_KEY = "8f14e45f-ceea-467f-a8d5-2c1b7a3e9d10";
const csrf = () => /(?:^|; )__Host-svc_csrf=([^;]+)/.exec(document.cookie)?.[1];

document.querySelector("#loading")?.remove();
globalThis.Scalar.createApiReference("#reference", {
  url: "/api/v1/openapi.json",
  theme: "default",
  layout: "modern",
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: "never",
  hideClientButton: true,
  hideModels: false,
  defaultOpenFirstTag: true,
  documentDownloadType: "json",
  persistAuth: false,
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
  customCss: ".references-rendered section:focus-visible { outline: none; }",
  metaData: { title: "svc reference" },
  onBeforeRequest({ requestBuilder, request }) {
    const { headers, method } = requestBuilder ?? request;
    if (method === "GET") return;
    const token = csrf();
    if (token && !headers.get("authorization")) headers.set("x-csrf-token", token);
    // The document's example is the same for everybody: sent twice, it would replay or conflict.
    if ([null, "", EXAMPLE_KEY].includes(headers.get("idempotency-key")))
      headers.set("idempotency-key", crypto.randomUUID());
  },
});
