// Rows of the table of commands: sign-in, profiles and Workspaces.
import type { Command } from "../command.ts";

export const accountRows: readonly Command[] = [
  {
    name: "login",
    summary: "Sign in with your browser",
    details:
      "The tokens are kept in the system's keychain, or where there is none in a file that only you can read. " +
      "Every address, or every name that you give, is a profile.",
    arguments: [
      { name: "address", help: "Of the service; the one of the profile where it is left out", optional: true },
    ],
    flags: [
      { name: "scopes", value: "names", help: "What svc may do (svc:read,svc:write)" },
      { name: "no-browser", help: "Only show the address" },
    ],
    examples: [
      ["login https://svc.example.com", "opens the browser"],
      ["login --profile other https://svc.example.com", "a second profile, for another Workspace"],
    ],
    load: async () => (await import("../commands/login.ts")).login,
  },
  {
    name: "logout",
    summary: "Sign out: the tokens of the profile are revoked",
    flags: [{ name: "force", help: "Forget the tokens even where they cannot be revoked" }],
    examples: [["logout", "of the profile in use"]],
    load: async () => (await import("../commands/login.ts")).logout,
  },
  {
    name: "status",
    summary: "Say where you are signed in",
    examples: [["status", "service, profile and Workspace"]],
    load: async () => (await import("../commands/profile.ts")).status,
  },
  {
    name: "workspace list",
    summary: "List your Workspaces",
    examples: [["workspace list", "those that you can switch to"]],
    load: async () => (await import("../commands/profile.ts")).workspaces,
  },
  {
    name: "workspace switch",
    summary: "Go to another Workspace",
    details: "The tokens of the profile are replaced: those of before are dead at once.",
    arguments: [{ name: "workspace", help: "Its slug, name or id", offered: "workspace" }],
    examples: [["workspace switch analytical-engines", "by its slug"]],
    load: async () => (await import("../commands/profile.ts")).switchWorkspace,
  },
  {
    name: "profile list",
    summary: "List your profiles",
    examples: [["profile list", "each with its service and Workspace"]],
    load: async () => (await import("../commands/profile.ts")).profiles,
  },
  {
    name: "profile use",
    summary: "Use another profile from now on",
    arguments: [{ name: "name", help: "Of the profile", offered: "profile" }],
    examples: [["profile use other", "until you say otherwise"]],
    load: async () => (await import("../commands/profile.ts")).use,
  },
  {
    name: "completion",
    summary: "Print the script that lets a shell complete svc",
    details:
      "With it Tab completes commands, flags, and the codes of your work. For bash and zsh, in ~/.bashrc or " +
      '~/.zshrc: eval "$(svc completion bash)". For fish: ' +
      "svc completion fish > ~/.config/fish/completions/svc.fish. For PowerShell, in $PROFILE: " +
      "svc completion powershell | Out-String | Invoke-Expression",
    arguments: [{ name: "shell", help: "Which one", offered: ["bash", "zsh", "fish", "powershell"] }],
    raw: true,
    examples: [["completion bash", "for bash"]],
    load: async () => (await import("../commands/shell/completion.ts")).completion,
  },
];
