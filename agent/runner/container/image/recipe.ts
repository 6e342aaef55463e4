import finish from '../../../../runner-image/finish.sh' with { type: 'text' };
import packages from '../../../../runner-image/packages.txt' with { type: 'text' };

/** What the runner image is made of (`runner-image/`): as the Dockerfile beside it says the same. */
export const RECIPE = {
  suite: 'bookworm',
  packages: packages.trim().split('\n'),
  /** A shell script, run in the new root. */
  finish,
  /** As in Debian's own images for containers: no manuals, and what packages say of themselves only as far as licences ask. */
  leftOut: ['/usr/share/man/*', '/usr/share/locale/*', '/usr/share/info/*', '/usr/share/doc/*'],
  kept: ['/usr/share/doc/*/copyright'],
  /** Nothing in it is younger, in seconds: two builds of the same packages are the same bytes. */
  epochSec: 1_751_328_000,
} as const;

/** What identifies the recipe; another version of this program may have another. */
export function recipeDigest(): string {
  return new Bun.CryptoHasher('sha256').update(JSON.stringify(RECIPE)).digest('hex');
}
