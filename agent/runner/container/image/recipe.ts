import finish from '../../../../runner-image/finish.sh' with { type: 'text' };
import packages from '../../../../runner-image/packages.txt' with { type: 'text' };

/** The recipe of the runner image (`runner-image/`); the Dockerfile beside it has the same content. */
export const RECIPE = {
  suite: 'bookworm',
  packages: packages.trim().split('\n'),
  /** A shell script, run in the new root. */
  finish,
  /** As in Debian's own container images: no manuals, and documentation only as far as licences require. */
  leftOut: ['/usr/share/man/*', '/usr/share/locale/*', '/usr/share/info/*', '/usr/share/doc/*'],
  kept: ['/usr/share/doc/*/copyright'],
  /** The newest timestamp in the image, in seconds, so that two builds of the same packages have the same bytes. */
  epochSec: 1_751_328_000,
} as const;

/** The digest of the recipe, which may differ in another version of this program. */
export function recipeDigest(): string {
  return new Bun.CryptoHasher('sha256').update(JSON.stringify(RECIPE)).digest('hex');
}
