import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keyOf, type ShippedPackage, shippedPackages } from '../web/licenses.ts';
import runtimes from './package.json' with { type: 'json' };
import type { Release } from './release.ts';

const ROOT = join(import.meta.dir, '..', '..');
/** The runtimes of all machines have this version. */
const BUN = runtimes.dependencies['@oven/bun-linux-x64'];

/**
 * Writes what is in the program as CycloneDX: Bun, and every package of the lock file that ends up in the program.
 *
 * NOTE: `npm sbom --omit=dev` leaves out packages that a development dependency needs as well, among them hono and react.
 */
export function writeBillOfMaterials({ version, epochS, folder }: Release): string {
  const packages = shippedPackages(ROOT);
  const content = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      timestamp: new Date(epochS * 1000).toISOString(),
      component: {
        type: 'application',
        'bom-ref': `svc@${version}`,
        name: 'svc',
        version,
        licenses: [{ expression: 'Apache-2.0' }],
      },
    },
    components: [runtime(), ...packages.map(component)],
    dependencies: [
      { ref: `svc@${version}`, dependsOn: [`bun@${BUN}`, ...packages.map(keyOf)] },
      ...packages.map((one) => ({ ref: keyOf(one), dependsOn: one.dependsOn })),
    ],
  };
  const id = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  const serialNumber = `urn:uuid:${id.slice(0, 8)}-${id.slice(8, 12)}-8${id.slice(13, 16)}-8${id.slice(17, 20)}-${id.slice(20, 32)}`;
  const file = join(folder, `svc-${version}.cdx.json`);
  writeFileSync(file, `${JSON.stringify({ ...content, serialNumber }, null, 2)}\n`);
  return file;
}

function runtime() {
  return {
    type: 'platform',
    'bom-ref': `bun@${BUN}`,
    name: 'bun',
    version: BUN,
    purl: `pkg:npm/bun@${BUN}`,
    licenses: [{ expression: 'MIT' }],
  };
}

function component(one: ShippedPackage) {
  const { name, version, license, integrity } = one;
  const [, digest = ''] = /^sha512-(.+)$/.exec(integrity) ?? [];
  return {
    type: 'library',
    'bom-ref': keyOf(one),
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    licenses: [{ expression: license }],
    hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }],
  };
}
