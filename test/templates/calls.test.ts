import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { bind } from '@svc/core/endpoint/bind';
import type { Argument, Endpoint } from '@svc/core/endpoint/definition';
import { Refusal } from '@svc/core/refusal';
import fc from 'fast-check';
import { CANARY, hostileValue, runningValue } from '../command/hostile-values.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';
import { REPOSITORY } from './cases/repository.ts';
import { prepare, type TemplateRun, TemplateRunner } from './run-template.ts';
import type { TemplateCase } from './template-case.ts';
import { CASES, ENDPOINTS, TEMPLATES } from './templates.ts';

const runner = new TemplateRunner();
let repository: TemporaryFolder;
beforeAll(async () => {
  repository = await temporaryFolder();
  await prepare(REPOSITORY, repository.path);
});
afterAll(() => Promise.all([runner[Symbol.asyncDispose](), repository[Symbol.asyncDispose]()]));

describe.each(TEMPLATES.map((template) => [template.templateId, template] as const))(
  '%s',
  (_id, template) => {
    for (const endpoint of template.endpoints) {
      const cases = CASES[endpoint.slug] ?? [];
      test.each(cases.map((one) => [JSON.stringify({ ...one.args, ...one.env }), one] as const))(
        `${endpoint.slug} %s does what it says`,
        async (_values, one) => {
          await using folder = await temporaryFolder();
          await check(endpoint, one, folder.path);
        },
      );
    }
  },
);

const CHOSEN_TEXTS = ENDPOINTS.flatMap((endpoint) =>
  endpoint.args
    .filter(({ type }) => !['integer', 'number', 'boolean', 'enum', 'file'].includes(type))
    .map((argument) => [`${endpoint.slug} ${argument.name}`, endpoint, argument] as const),
);

describe.each(CHOSEN_TEXTS)('%s', (_name, endpoint, argument) => {
  test('is data, whatever a caller sends: what tries to be code does not run', async () => {
    const value = fc.oneof(runningValue, hostileValue);
    await fc.assert(
      fc.asyncProperty(value, (hostile) => staysData(endpoint, argument, hostile)),
      { numRuns: 12 },
    );
  }, 60_000);
});

async function staysData(endpoint: Endpoint, argument: Argument, hostile: string): Promise<void> {
  const one = CASES[endpoint.slug]?.[0] ?? {};
  const args = { ...one.args, [argument.name]: hostile };
  // A folder for nothing is what takes time here: most values do not match the pattern of their argument.
  if (refuses(endpoint, args)) return;
  await using folder = await temporaryFolder();
  await runIn(folder.path, endpoint, { ...one, args });
  const files = readdirSync(folder.path, { recursive: true, encoding: 'utf8' });
  expect(files.filter((file) => file.endsWith(CANARY))).toEqual([]);
}

function refuses(endpoint: Endpoint, args: Readonly<Record<string, string>>): boolean {
  const secrets = Object.fromEntries(endpoint.program.secrets.map((name) => [name, '']));
  try {
    bind(endpoint, new Map(Object.entries(args)), secrets);
    return false;
  } catch (error) {
    if (error instanceof Refusal) return true;
    throw error;
  }
}

async function check(endpoint: Endpoint, one: TemplateCase, folder: string): Promise<void> {
  const run = await runIn(folder, endpoint, one);
  const text = run?.text.replaceAll(folder, 'FOLDER') ?? 'the values were refused';
  if (one.endless) expect(run?.ending.kind, text).toBe('cancelled');
  else expect(run?.ending, text).toMatchObject({ kind: 'exited', exitCode: one.exitCode ?? 0 });
  if (one.output instanceof RegExp) expect(text).toMatch(one.output);
  else if (one.output !== undefined) expect(text).toEndWith(one.output);
  if (one.data !== undefined) expect(dataOf(run?.ending)).toEqual(one.data);
  if (one.after !== undefined) await prepare(one.after, folder);
}

async function runIn(
  folder: string,
  endpoint: Endpoint,
  { repository: needsRepository, before, args = {}, env = {}, endless, output }: TemplateCase,
): Promise<TemplateRun | undefined> {
  if (needsRepository) await prepare(`cp -R '${repository.path}/.' .`, folder);
  if (before !== undefined) await prepare(before, folder);
  const until = endless ? { until: String(output) } : {};
  return runner.run({ endpoint, folder, args, env: inFolder(env, folder), ...until });
}

function inFolder(env: Readonly<Record<string, string>>, folder: string): Record<string, string> {
  const entries = Object.entries(env).map(([name, value]) => [name, value.replace('FOLDER', folder)]);
  return Object.fromEntries(entries) as Record<string, string>;
}

function dataOf(ending: unknown): unknown {
  const { transformed } = ending as { transformed?: { kind: string; json?: string } };
  return transformed?.json === undefined ? transformed : JSON.parse(transformed.json);
}
