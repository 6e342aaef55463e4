// Writes the files that are made from code:
//   docs/reference/svc.schema.json, and the tables of keys in docs/reference/config.md, from the schema that reads svc.yaml
//   docs/reference/openapi.json, from the table of routes, and the types of the clients, from that document
//   docs/reference/cli.md, from the definitions of the subcommands
//   the table of faults in docs/reference/reliability.md, and templates/texts.ts, which names every template
//   clients/github-action/main.mjs, the bundle of the action
//   generate-docs.ts [--check]     with --check it writes nothing and fails when a file is stale
import { readFileSync, writeFileSync } from 'node:fs';
import { openApiDocument } from '@svc/core/api/openapi/document';
import { configJsonSchema } from '@svc/core/config/json-schema';
import { keyDefault, keyType, type KeySchema as Schema } from '@svc/core/config/key-facts';
import { parseConfig } from '@svc/core/config/parse-config';
import { formatProblem } from '@svc/core/config/problem';
import { cliMarkdown } from './cli-markdown.ts';
import { pythonTypes, type Schemas, typescriptTypes } from './client-types.ts';
import { faultMarkdown } from './fault-table.ts';
import { templateTexts } from './template-texts.ts';

const CONFIG = 'docs/reference/config.md';
const SCHEMA = 'docs/reference/svc.schema.json';
const RELIABILITY = 'docs/reference/reliability.md';
const OPENAPI = 'docs/reference/openapi.json';
const CLI = 'docs/reference/cli.md';
const TEMPLATES = 'templates/texts.ts';
const TYPESCRIPT = 'clients/typescript/src/api-types.ts';
const ACTION = 'clients/github-action/main.mjs';
const PYTHON = 'clients/python/svc_client/api_types.py';
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const openApi = openApiDocument({ version, url: '/' });
const { schemas } = openApi.components as { readonly schemas: Schemas };
const root = configJsonSchema() as Schema;
const endpoint = at(at(root, 'endpoints'));
const pipeline = at(at(root, 'pipelines'));
const trigger = at(pipeline, 'trigger');
const [step, condition] = at(at(pipeline, 'nodes')).anyOf ?? [];
const tables = new Map([
  ['file', keyTable(root)],
  ['template', keyTable(at(root, 'template'))],
  ['endpoint', keyTable(endpoint)],
  ['argument', keyTable(at(at(endpoint, 'args')))],
  ['transform', keyTable(at(endpoint, 'transform'))],
  ['alert', keyTable(at(at(endpoint, 'alerts')))],
  ['pipeline', keyTable(pipeline)],
  ['trigger', keyTable(trigger)],
  ['field', keyTable(at(at(trigger, 'input_schema')))],
  ['step', keyTable(step ?? fail('a node can be no step'))],
  ['retry', keyTable(at(step ?? {}, 'retry'))],
  ['condition', keyTable(condition ?? fail('a node can be no condition'))],
  ['edge', keyTable(at(at(pipeline, 'edges')))],
]);
const files = new Map([
  [SCHEMA, formatted(SCHEMA, JSON.stringify(root))],
  [OPENAPI, formatted(OPENAPI, JSON.stringify(openApi))],
  [CLI, await cliMarkdown()],
  [TYPESCRIPT, formatted(TYPESCRIPT, typescriptTypes(schemas))],
  [PYTHON, pythonTypes(schemas)],
  [ACTION, await bundledAction()],
  [TEMPLATES, formatted(TEMPLATES, templateTexts('templates'))],
  [CONFIG, withTables(readFileSync(CONFIG, 'utf8'))],
  [RELIABILITY, withFaults(readFileSync(RELIABILITY, 'utf8'))],
]);
for (const file of [CONFIG, 'docs/guides/templates.md', 'docs/guides/pipelines.md'])
  for (const [, example = ''] of readFileSync(file, 'utf8').matchAll(/^```yaml\n([\s\S]*?)^```$/gm))
    checkExample(file, example);
if (process.argv.includes('--check')) check();
else for (const [file, text] of files) writeFileSync(file, text);

function check(): void {
  const stale = [...files].filter(([file, text]) => readText(file) !== text).map(([file]) => file);
  if (stale.length === 0) return;
  console.error(`stale, run npm run docs: ${stale.join(', ')}`);
  process.exit(1);
}

/** GitHub starts an action from the files of a repository, so the bundle is one of them. */
async function bundledAction(): Promise<string> {
  const entrypoints = ['clients/github-action/main.ts'];
  const { outputs } = await Bun.build({ entrypoints, target: 'node', throw: true });
  return `// Made by \`npm run docs\` from main.ts and @svc/client: do not edit.\n${await outputs[0]?.text()}`;
}

/** Examples in a document must be accepted. */
function checkExample(file: string, text: string): void {
  const parsed = parseConfig(text);
  if (parsed.kind === 'config') return;
  fail(parsed.problems.map((problem) => formatProblem(`an example in ${file}`, problem)).join('\n'));
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** As `npm run check` wants it. */
function formatted(file: string, text: string): string {
  const command = ['node_modules/.bin/biome', 'format', `--stdin-file-path=${file}`];
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { stdin: Buffer.from(text), env: process.env });
  return exitCode === 0 ? stdout.toString() : fail(stderr.toString());
}

/** The schema of a key, or without one that of a list's items. */
function at(schema: Schema, key?: string): Schema {
  const found = key === undefined ? schema.items : schema.properties?.[key];
  if (!found) throw new Error(`the schema has no ${key ?? 'items'}`);
  return found;
}

/** Puts each table between its two marks: `<!-- keys: name -->` and `<!-- end of keys -->`. */
function withTables(text: string): string {
  const unused = new Set(tables.keys());
  const result = text.replace(
    /(<!-- keys: (\w+) -->\n)[\s\S]*?(<!-- end of keys -->)/g,
    (_whole, start: string, name: string, end: string) => {
      unused.delete(name);
      return `${start}${tables.get(name) ?? fail(`there is no table "${name}"`)}${end}`;
    },
  );
  if (unused.size > 0) fail(`${CONFIG} has no place for: ${[...unused].join(', ')}`);
  return result;
}

function withFaults(text: string): string {
  const [before = '', after = ''] = text.split(/(?<=<!-- faults -->\n)[\s\S]*?(?=<!-- end of faults -->)/);
  return `${before}\n${faultMarkdown()}\n\n${after}`;
}

function keyTable(schema: Schema): string {
  const rows = Object.entries(schema.properties ?? {}).map(([key, value]) => {
    const preset = keyDefault(value);
    const absent = schema.required?.includes(key) ? 'required' : preset === undefined ? '' : `\`${preset}\``;
    return `| \`${key}\` | ${keyType(value)} | ${absent} | ${value.description ?? ''} |\n`;
  });
  return `| Key | Value | Default | What it does |\n| --- | --- | --- | --- |\n${rows.join('')}`;
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
