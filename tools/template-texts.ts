import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

/** The module that holds the text of every template in `folder`: what it imports, `bun build --compile` puts into the binary. */
export function templateTexts(folder: string): string {
  const files = templateFiles(folder);
  const imports = files.map((file) => `import ${variableOf(file)} from './${file}' with { type: 'text' };\n`);
  const entries = files.map((file) => `  ['${idOf(file)}', ${variableOf(file)}],\n`);
  return `// Made by \`npm run docs\` from the files beside it.
${imports.join('')}
/** The text of every template, by its id; each is read with \`core/template/read-template\`. */
export const TEMPLATE_TEXTS: ReadonlyMap<string, string> = new Map([\n${entries.join('')}]);
`;
}

/** `docker/docker-logs.yaml` and its like, in the order of their names. */
function templateFiles(folder: string): string[] {
  const shelves = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return shelves
    .flatMap(({ name }) => readdirSync(join(folder, name)).map((file) => `${name}/${file}`))
    .sort();
}

function idOf(file: string): string {
  return basename(file, '.yaml');
}

function variableOf(file: string): string {
  return idOf(file).replace(/-(.)/g, (_dash, letter: string) => letter.toUpperCase());
}
