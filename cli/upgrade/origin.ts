import { Failure } from '../failure.ts';
import { succeeds } from '../install/step.ts';
import type { ReleaseSource } from './release.ts';

// The release puts these in; a program that is built from its source has none.
declare const RELEASE_BUILD: ReleaseBuild | undefined;

/** What a released program knows about its release. */
interface ReleaseBuild {
  /** The folder with all releases. */
  readonly url: string;
  /** The public key of minisign. */
  readonly key: string;
  /** The machine that the program is for, such as `linux-x64-musl`. */
  readonly target: string;
}

/** Where this program comes from and for which machine it is. Throws a `Failure` for one that no release made. */
export function releaseOrigin(environment: NodeJS.ProcessEnv): ReleaseSource & { readonly target: string } {
  if (typeof RELEASE_BUILD === 'undefined')
    throw new Failure('this svc was not made by a release, so no key verifies another one', {
      tip: 'git pull && npm run build',
    });
  const { url, key, target } = RELEASE_BUILD;
  if (target.startsWith('windows'))
    throw new Failure('svc upgrade does not replace the program on Windows', {
      tip: `download svc-VERSION-${target}.zip from ${url}`,
    });
  return { url: mirror(environment.SVC_RELEASE_URL) ?? url, key, target };
}

/** The folder of all releases; undefined for a program that no release made. */
export function releasesUrl(): string | undefined {
  return typeof RELEASE_BUILD === 'undefined' ? undefined : RELEASE_BUILD.url;
}

/** Only the address can be another one: what is downloaded from it is verified with the key in the program. */
function mirror(address: string | undefined): string | undefined {
  if (!address) return undefined;
  if (!/^https?:$/.test(URL.canParse(address) ? new URL(address).protocol : ''))
    throw new Failure(`SVC_RELEASE_URL "${address}": an address with http or https expected`);
  return address;
}

/** Throws a `Failure` with the command that upgrades a program that belongs to a package manager. */
export function refusePackaged(program: string): void {
  const owner = OWNERS.find(({ owns }) => owns(program));
  if (owner !== undefined)
    throw new Failure(`${program} belongs to ${owner.name}, which upgrades it`, { tip: owner.upgrade });
}

const OWNERS = [
  {
    name: 'apt',
    owns: (program: string) => Bun.which('dpkg-query') !== null && succeeds(['dpkg-query', '-S', program]),
    upgrade: 'apt update && apt install --only-upgrade svc',
  },
  {
    name: 'dnf',
    owns: (program: string) => Bun.which('rpm') !== null && succeeds(['rpm', '-qf', program]),
    upgrade: 'dnf upgrade svc',
  },
  {
    name: 'Homebrew',
    owns: (program: string) => program.includes('/Cellar/'),
    upgrade: 'brew upgrade svc',
  },
] as const;
