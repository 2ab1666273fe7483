// Maps each package of the lock file that has native packages per platform to those packages. npm installs the matching
// one and omits the others, so a gap shows only on the machine that lacks it.
export const platforms = [
  { os: "linux", cpu: "x64", libc: "glibc" },
  { os: "linux", cpu: "arm64", libc: "glibc" },
  { os: "darwin", cpu: "arm64" },
  { os: "darwin", cpu: "x64" },
  { os: "win32", cpu: "x64" },
];

const system = { linux: /linux/, darwin: /darwin/, win32: /win32|windows|(?<!dar)win-/ };
const fits = (name, { os, cpu }) =>
  system[os].test(name) && new RegExp(`(^|[^a-z0-9])${cpu}($|[^a-z0-9])`).test(name) && !/musl/.test(name);

/** Packages with native ones for at least three of the five platforms, with their names for each platform. */
export function nativePackages({ packages }) {
  const found = [];
  for (const [owner, { optionalDependencies = {} }] of Object.entries(packages)) {
    const names = Object.keys(optionalDependencies);
    const of = new Map(platforms.map((platform) => [platform, names.filter((name) => fits(name, platform))]));
    if ([...of.values()].filter(({ length }) => length > 0).length >= 3) found.push({ owner, packages: of });
  }
  return found;
}

/** npm has no Node 24 for Apple silicon: the user's own Node runs the service there. */
export const bringsItsOwnNode = ({ owner }, { os, cpu }) => owner === "" && os === "darwin" && cpu === "arm64";
