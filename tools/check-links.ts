// Fails on a link, an anchor or a path of the documents that leads nowhere, and on a cited decision that does not exist.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { anchorsIn, citationsIn, decisionsIn, linksIn, pathsIn } from './markdown-links.ts';

const DECISIONS = 'docs/internals/decisions.md';
/** A change log names files as they were. */
const HISTORY = 'CHANGELOG.md';
const TEXT = /\.(?:md|tsx?|mjs|css|html|ya?ml|toml|cfg|conf|service|sh|pl)$|Dockerfile$|Caddyfile$/;

const files = trackedTexts();
const documents = files.filter((file) => file.endsWith('.md'));
const anchors = new Map(documents.map((file) => [file, anchorsIn(readFileSync(file, 'utf8'))]));
const decisions = decisionsIn(readFileSync(DECISIONS, 'utf8'));
const problems = [
  ...documents.flatMap(deadLinks),
  ...documents.filter((file) => file !== HISTORY).flatMap(missingPaths),
  ...files.flatMap(missingDocuments),
  ...files.flatMap(unknownDecisions),
];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(`links: ${documents.length} documents, ${files.length} files, ${decisions.size} decisions`);

function deadLinks(file: string): string[] {
  return linksIn(readFileSync(file, 'utf8')).flatMap(({ target, line }) => {
    if (/^[a-z][a-z+.-]*:/i.test(target)) return [];
    const [path = '', anchor] = target.split('#');
    const to = path === '' ? file : normalize(join(dirname(file), path));
    if (!existsSync(to)) return [`${file}:${line}: ${target}: there is no ${to}`];
    const known = anchors.get(to);
    if (anchor === undefined || known === undefined || known.has(anchor)) return [];
    return [`${file}:${line}: ${target}: ${to} has no heading or anchor "${anchor}"`];
  });
}

function missingPaths(file: string): string[] {
  return pathsIn(readFileSync(file, 'utf8'))
    .filter(({ target }) => !existsSync(target) && !isBuilt(target))
    .map(({ target, line }) => `${file}:${line}: \`${target}\`: there is no such file or folder`);
}

/** Documents that code, comments and messages name. */
function missingDocuments(file: string): string[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.flatMap((content, index) =>
    [...content.matchAll(/(?<![\w/.-])docs\/[\w/.-]+\.(?:md|json)\b/g)]
      .filter(([path]) => !existsSync(path))
      .map(([path]) => `${file}:${index + 1}: ${path}: there is no such document`),
  );
}

function unknownDecisions(file: string): string[] {
  return citationsIn(readFileSync(file, 'utf8'))
    .filter(({ number }) => !decisions.has(number))
    .map(({ number, line }) => `${file}:${line}: decision ${number}: ${DECISIONS} has no such decision`);
}

/** Files that a build or a test leaves are in no fresh clone. */
function isBuilt(path: string): boolean {
  return Bun.spawnSync(['git', 'check-ignore', '--quiet', path]).exitCode === 0;
}

function trackedTexts(): string[] {
  const listed = Bun.spawnSync(['git', 'ls-files', '--cached', '--others', '--exclude-standard']);
  const found = listed.stdout
    .toString()
    .split('\n')
    .filter((file) => TEXT.test(file) && existsSync(file));
  if (found.length === 0) throw new Error('git lists no file to check');
  return found;
}
