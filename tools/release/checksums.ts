import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Release } from './release.ts';
import { run } from './run.ts';

/** Writes `SHA256SUMS` and an in-toto statement about the same files. Returns both. */
export function writeChecksums(release: Release, files: readonly string[]): readonly [string, string] {
  const subjects = files
    .map((file) => ({ name: basename(file), sha256: sha256(file) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const sums = join(release.folder, 'SHA256SUMS');
  writeFileSync(sums, subjects.map(({ name, sha256: digest }) => `${digest}  ${name}\n`).join(''));
  const statement = join(release.folder, `svc-${release.version}.intoto.json`);
  writeFileSync(statement, `${JSON.stringify(statementOf(release, subjects), null, 2)}\n`);
  return [sums, statement];
}

interface Subject {
  readonly name: string;
  readonly sha256: string;
}

/** The provenance of a build, with its commit: in-toto Statement v1 with SLSA provenance v1. */
function statementOf({ version, commit, epochS }: Release, subjects: readonly Subject[]) {
  const builtAt = new Date(epochS * 1000).toISOString();
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: subjects.map(({ name, sha256: digest }) => ({ name, digest: { sha256: digest } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'npm run release',
        externalParameters: { version },
        resolvedDependencies: [{ uri: 'git+svc', digest: { gitCommit: commit } }],
      },
      runDetails: {
        builder: { id: 'npm run release' },
        metadata: { startedOn: builtAt, finishedOn: builtAt },
      },
    },
  };
}

/**
 * Signs files with minisign, beside each `FILE.minisig`. The comment that is signed too names version and file. The legacy
 * format signs the file itself and not a hash of it, so that openssl can verify it as well.
 */
export function sign({ version }: Release, keyFile: string, files: readonly string[]): void {
  for (const file of files)
    run(['minisign', '-S', '-l', '-W', '-s', keyFile, '-t', `svc ${version} ${basename(file)}`, '-m', file]);
}

export function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
