// `npm run release`: everything that people download, from the commit that is checked out. The same commit gives the same bytes.
//   npm run release -- [--out FOLDER] [--targets linux-x64,…] [--base-url URL] [--sign-key MINISIGN_KEY]
//                      [--repository-key OPENPGP_ID] [--level 1..19]
import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import manifest from '../../package.json';
import { buildDocumentation } from '../docs/build.ts';
import { buildWeb } from '../web/build.ts';
import { archive } from './archives.ts';
import { writeBillOfMaterials } from './bill-of-materials.ts';
import { compileFor } from './binaries.ts';
import { sign, writeChecksums } from './checksums.ts';
import { npmPackage, pythonPackages } from './clients.ts';
import { debPackage } from './deb.ts';
import { documentationArchive } from './documentation.ts';
import { type TargetArchive, writeFormula } from './homebrew.ts';
import { type ImageProgram, imageArchive } from './image.ts';
import { publicKeyOf, writeInstaller } from './installer.ts';
import { writeDocuments } from './package-tree.ts';
import type { Release } from './release.ts';
import { aptRepository, dnfRepository, repositoryKeyFile } from './repositories.ts';
import { rpmPackage } from './rpm.ts';
import { run } from './run.ts';
import { installRuntimes } from './runtimes.ts';
import { TARGETS } from './targets.ts';

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: 'dist/release' },
    targets: { type: 'string', default: TARGETS.map(({ name }) => name).join(',') },
    'base-url': { type: 'string', default: 'https://svc.invalid/releases' },
    'sign-key': { type: 'string' },
    'repository-key': { type: 'string' },
    level: { type: 'string', default: '12' },
  },
});
const names = values.targets.split(',');
const unknown = names.find((name) => !TARGETS.some((target) => target.name === name));
if (unknown !== undefined) {
  console.error(`target "${unknown}": one of ${TARGETS.map(({ name }) => name).join(', ')} expected`);
  process.exit(2);
}

if (!/^(?:[1-9]|1\d)$/.test(values.level)) {
  console.error(`level "${values.level}": 1 to 19 expected`);
  process.exit(2);
}

const release: Release = {
  version: manifest.version,
  commit: run(['git', 'rev-parse', 'HEAD']).trim(),
  epochS: Number(run(['git', 'log', '-1', '--format=%ct'])),
  folder: resolve(values.out),
  level: Number(values.level),
};
rmSync(release.folder, { recursive: true, force: true });
mkdirSync(release.folder, { recursive: true });
const targets = TARGETS.filter(({ name }) => names.includes(name));
installRuntimes(targets);
await buildWeb();
await buildDocumentation();

const signKey = values['sign-key'];
const upgrades =
  signKey === undefined ? undefined : { url: releasesUrl(), key: publicKeyOf(release.folder, signKey) };
const files: string[] = [];
const [debs, rpms]: [string[], string[]] = [[], []];
const archives: TargetArchive[] = [];
const programs: ImageProgram[] = [];
const workFolder = join(release.folder, 'work');
const documents = writeDocuments(join(workFolder, 'documents'));
for (const target of targets) {
  console.log(`${target.name}`);
  const binary = compileFor(target, workFolder, upgrades);
  const packed = archive(release, target, [binary, ...documents]);
  files.push(packed);
  archives.push({ target: target.name, file: packed });
  if (target.packaged === undefined) continue;
  programs.push({ architecture: target.packaged.deb, program: binary });
  debs.push(debPackage(release, target.packaged.deb, binary));
  rpms.push(rpmPackage(release, target.packaged.rpm, binary));
}
if (programs.length > 0) files.push(imageArchive(release, programs));
rmSync(workFolder, { recursive: true });
const formula = writeFormula(release, values['base-url'], archives);
if (formula !== undefined) files.push(formula);
const repositoryKey = values['repository-key'];
if (debs.length > 0) aptRepository(release, debs, repositoryKey);
if (rpms.length > 0) dnfRepository(release, rpms, repositoryKey);
if (repositoryKey !== undefined) files.push(repositoryKeyFile(release, repositoryKey));
files.push(
  ...debs,
  ...rpms,
  npmPackage(release),
  ...pythonPackages(release),
  await documentationArchive(release),
  writeBillOfMaterials(release),
);
if (upgrades !== undefined) files.push(writeInstaller(release, values['base-url'], upgrades.key));
const [sums, statement] = writeChecksums(release, files);
if (signKey !== undefined) sign(release, signKey, [sums, statement]);
console.log(`${files.length} files of svc ${release.version} in ${values.out}`);

/** The folder of all releases: the one above the base URL if that ends with the version. */
function releasesUrl(): string {
  const url = values['base-url'].replace(/\/$/, '');
  const end = `/${release.version}`;
  return url.endsWith(end) ? url.slice(0, -end.length) : url;
}
