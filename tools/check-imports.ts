// Fails on an import that the table of rooms does not allow, on a cycle between files, and on effects in `core`.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import corePackage from '../core/package.json' with { type: 'json' };
import { hubProblem } from './hub-layers.ts';
import { OUTSIDE, roomOf } from './rooms.ts';

interface Import {
  readonly from: string;
  readonly specifier: string;
  /** The imported file, when it is one of ours. */
  readonly to: string | undefined;
}

const SOURCE = /\.tsx?$/;
const IMPORT =
  /^\s*(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]|^\s*import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm;
/** Each package that `core` depends on is pure, as `core` is. */
const CORE_PACKAGES = new Set(Object.keys(corePackage.dependencies));
/** Names that would make `core` depend on a moment, a machine or chance; the DOM is kept out by core/tsconfig.json. */
const EFFECTS =
  /\b(?:Date\.now|new Date\(\s*\)|Math\.random|performance\.|crypto\.|process\.|Bun\.|Buffer\.|setTimeout|setInterval|setImmediate|queueMicrotask|fetch\(|console\.)/;

const files = trackedSources();
const imports = files.flatMap(importsOf);
const problems = [
  ...imports.flatMap(forbidden),
  ...cycles(),
  ...files.filter((file) => file.startsWith('core/') && !isTest(file)).flatMap(effectsIn),
];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(`imports: ${files.length} files, ${imports.length} imports, all within the table`);

function trackedSources(): string[] {
  const listed = Bun.spawnSync(['git', 'ls-files', '--cached', '--others', '--exclude-standard']);
  return listed.stdout
    .toString()
    .split('\n')
    .filter((file) => SOURCE.test(file) && existsSync(file) && roomOrOutside(file));
}

function roomOrOutside(file: string): boolean {
  if (roomOf(file) || OUTSIDE.some((prefix) => file.startsWith(prefix))) return true;
  throw new Error(`${file} is in no room: tools/rooms.ts lists them`);
}

function importsOf(from: string): Import[] {
  const text = withoutComments(readFileSync(from, 'utf8'));
  return [...text.matchAll(IMPORT)].map((match) => {
    const specifier = match[1] ?? match[2] ?? match[3] ?? '';
    return { from, specifier, to: resolve(from, specifier) };
  });
}

function resolve(from: string, specifier: string): string | undefined {
  // A file that is imported as text or data belongs to its importer.
  if (specifier.startsWith('.'))
    return SOURCE.test(specifier) ? normalize(join(dirname(from), specifier)) : undefined;
  const ours = /^@svc\/([a-z]+)\/(.+)$/.exec(specifier);
  return ours ? `${ours[1]}/${ours[2]}.ts` : undefined;
}

function forbidden({ from, specifier, to }: Import): string[] {
  const room = roomOf(from);
  if (!room || isTest(from)) return [];
  if (to === undefined) {
    const allowed =
      room.name !== 'core' || specifier.startsWith('.') || CORE_PACKAGES.has(packageOf(specifier));
    return allowed ? [] : [`${from}: core may not import "${specifier}"`];
  }
  const target = roomOf(to);
  if (!target) return [`${from}: "${specifier}" is in no room`];
  const problem = room.name === 'hub' && target === room ? hubProblem(from, to) : undefined;
  if (problem !== undefined) return [`${from}: ${problem} ("${specifier}")`];
  if (target === room || room.mayImport.includes(target.name)) return [];
  return [`${from}: ${room.name} may not import ${target.name} ("${specifier}")`];
}

/** The package of an import: `re2js`, or `@cfworker/json-schema` with its scope. */
function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

function cycles(): string[] {
  const edges = Map.groupBy(
    imports.filter(({ to }) => to !== undefined),
    ({ from }) => from,
  );
  const state = new Map<string, 'open' | 'done'>();
  const found: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (state.get(file) === 'done') return;
    if (state.get(file) === 'open') {
      found.push(`cycle: ${[...path.slice(path.indexOf(file)), file].join(' -> ')}`);
      return;
    }
    state.set(file, 'open');
    for (const { to } of edges.get(file) ?? []) if (to) visit(to, [...path, file]);
    state.set(file, 'done');
  };
  for (const file of files) visit(file, []);
  return found;
}

/** Without the text of templates that hold no expression: `reader-table.ts` is one, of many lines. */
function withoutTables(text: string): string {
  return text.replaceAll(/`(?:[^`\\$]|\\.|\$(?!\{))*`/g, (table) => table.replaceAll(/[^\n]/g, ''));
}

function effectsIn(file: string): string[] {
  const lines = withoutComments(readFileSync(file, 'utf8')).split('\n').map(withoutStrings);
  return withoutTables(lines.join('\n'))
    .split('\n')
    .flatMap((line, index) => {
      const effect = EFFECTS.exec(line);
      return effect ? [`${file}:${index + 1}: core may not use ${effect[0]}`] : [];
    });
}

function isTest(file: string): boolean {
  return /\.test\.tsx?$/.test(file) || file.includes('/fixtures/');
}

function withoutComments(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '))
    .replace(/(^|\s)\/\/.*$/gm, '$1');
}

/** A line without the texts of its strings; the expressions of templates remain. */
function withoutStrings(line: string): string {
  return line
    .replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/g, "''")
    .replace(/`[^`]*`/g, (template) => template.match(/\$\{[^}]*\}/g)?.join(' ') ?? "''");
}
