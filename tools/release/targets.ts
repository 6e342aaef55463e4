/** A machine that a release is for. */
export interface ReleaseTarget {
  /** As in the names of files, and as Bun calls it with `bun-` before it. */
  readonly name: string;
  readonly os: 'linux' | 'darwin' | 'windows';
  /** The package of Bun's runtime, below `@oven/`. */
  readonly runtime: string;
  /** The names of the processor in Debian, which images share, and in rpm, where packages and images are made. */
  readonly packaged?: { readonly deb: 'amd64' | 'arm64'; readonly rpm: string };
}

export const TARGETS: readonly ReleaseTarget[] = [
  {
    name: 'linux-x64',
    os: 'linux',
    runtime: 'bun-linux-x64',
    packaged: { deb: 'amd64', rpm: 'x86_64' },
  },
  { name: 'linux-x64-baseline', os: 'linux', runtime: 'bun-linux-x64-baseline' },
  {
    name: 'linux-arm64',
    os: 'linux',
    runtime: 'bun-linux-aarch64',
    packaged: { deb: 'arm64', rpm: 'aarch64' },
  },
  { name: 'linux-x64-musl', os: 'linux', runtime: 'bun-linux-x64-musl' },
  { name: 'linux-arm64-musl', os: 'linux', runtime: 'bun-linux-aarch64-musl' },
  { name: 'darwin-x64', os: 'darwin', runtime: 'bun-darwin-x64' },
  { name: 'darwin-arm64', os: 'darwin', runtime: 'bun-darwin-aarch64' },
  { name: 'windows-x64', os: 'windows', runtime: 'bun-windows-x64' },
  { name: 'windows-arm64', os: 'windows', runtime: 'bun-windows-aarch64' },
];
