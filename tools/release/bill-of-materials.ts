import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Release } from './release.ts';
import { run } from './run.ts';

const ROOT = join(import.meta.dir, '..', '..');

/** Writes the packages of the lock file that are in the program, as CycloneDX. npm puts a random id and its time into it. */
export function writeBillOfMaterials({ version, epochS, folder }: Release): string {
  const text = run(
    [
      'npm',
      'sbom',
      '--omit=dev',
      '--package-lock-only',
      '--sbom-format=cyclonedx',
      '--sbom-type=application',
    ],
    { cwd: ROOT },
  );
  const bill = JSON.parse(text);
  // npm names the folder of the checkout.
  bill.metadata.component.name = 'svc';
  bill.metadata.timestamp = new Date(epochS * 1000).toISOString();
  delete bill.metadata.tools;
  delete bill.serialNumber;
  const id = createHash('sha256').update(JSON.stringify(bill)).digest('hex');
  bill.serialNumber = `urn:uuid:${id.slice(0, 8)}-${id.slice(8, 12)}-8${id.slice(13, 16)}-8${id.slice(17, 20)}-${id.slice(20, 32)}`;
  const file = join(folder, `svc-${version}.cdx.json`);
  writeFileSync(file, `${JSON.stringify(bill, null, 2)}\n`);
  return file;
}
