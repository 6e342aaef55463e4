import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tarGz } from './archives.ts';
import { ownModes } from './package-tree.ts';
import type { Release } from './release.ts';
import { run } from './run.ts';

const ROOT = join(import.meta.dir, '..', '..');
const TYPESCRIPT = join(ROOT, 'clients/typescript');
const PYTHON = join(ROOT, 'clients/python');
const MODULE = 'svc_client';

/** Packs `@svc/client` as npm has it: `svc-client-VERSION.tgz` with a folder `package`. Returns the file. */
export function npmPackage(release: Release): string {
  return staged(release, (folder) => {
    const built = join(folder, 'package/dist');
    run([join(ROOT, 'node_modules/.bin/tsc'), '-p', TYPESCRIPT, '--outDir', built]);
    const manifest = JSON.parse(readFileSync(join(TYPESCRIPT, 'package.json'), 'utf8'));
    const named = { ...manifest, version: release.version };
    writeFileSync(join(folder, 'package/package.json'), `${JSON.stringify(named, null, 2)}\n`);
    cpSync(join(TYPESCRIPT, 'README.md'), join(folder, 'package/README.md'));
    cpSync(join(ROOT, 'LICENSE'), join(folder, 'package/LICENSE'));
    return tarGz(release, { from: folder, name: 'package', fileName: `svc-client-${release.version}.tgz` });
  });
}

/** Packs the Python package as source and as a wheel. Returns both files. */
export function pythonPackages(release: Release): readonly string[] {
  return [
    staged(release, (folder) => {
      const name = `${MODULE}-${release.version}`;
      layOutPython(join(folder, name));
      for (const file of ['README.md', 'pyproject.toml'])
        cpSync(join(PYTHON, file), join(folder, name, file));
      writeFileSync(join(folder, name, 'PKG-INFO'), metadata(release));
      return tarGz(release, { from: folder, name, fileName: `${name}.tar.gz` });
    }),
    staged(release, (folder) => wheel(release, folder)),
  ];
}

function layOutPython(folder: string): void {
  cpSync(join(PYTHON, MODULE), join(folder, MODULE), {
    recursive: true,
    filter: (path) => !path.includes('__pycache__'),
  });
  cpSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
}

/** A wheel is a zip with the package, its metadata and the digest of each file. */
function wheel(release: Release, folder: string): string {
  const info = `${MODULE}-${release.version}.dist-info`;
  layOutPython(folder);
  mkdirSync(join(folder, info));
  run(['mv', join(folder, 'LICENSE'), join(folder, info, 'LICENSE')]);
  writeFileSync(join(folder, info, 'METADATA'), metadata(release));
  writeFileSync(
    join(folder, info, 'WHEEL'),
    'Wheel-Version: 1.0\nGenerator: npm run release\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
  );
  const files = [...new Bun.Glob('**/*').scanSync(folder)].sort();
  const lines = files.map((file) => {
    const bytes = readFileSync(join(folder, file));
    return `${file},sha256=${createHash('sha256').update(bytes).digest('base64url')},${bytes.length}`;
  });
  writeFileSync(join(folder, info, 'RECORD'), `${lines.join('\n')}\n${info}/RECORD,,\n`);
  ownModes(folder);
  const packed = [...files, `${info}/RECORD`];
  for (const file of packed) utimesSync(join(folder, file), release.epochS, release.epochS);
  const out = join(release.folder, `${MODULE}-${release.version}-py3-none-any.whl`);
  run(['zip', '-X', '-q', '-D', out, ...packed], { cwd: folder });
  return out;
}

function metadata({ version }: Release): string {
  const readme = readFileSync(join(PYTHON, 'README.md'), 'utf8');
  return [
    'Metadata-Version: 2.1',
    'Name: svc-client',
    `Version: ${version}`,
    'Summary: Calls endpoints of svc: streaming, with safe retries, on the standard library.',
    'License: Apache-2.0',
    'Requires-Python: >=3.11',
    'Description-Content-Type: text/markdown',
    '',
    readme,
  ].join('\n');
}

/** A folder of this work only. */
function staged<Result>({ folder }: Release, work: (folder: string) => Result): Result {
  const own = join(folder, 'client-work');
  mkdirSync(own);
  try {
    return work(own);
  } finally {
    rmSync(own, { recursive: true });
  }
}
