import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, readdirSync } from 'node:fs';
import { parseConfig } from '@svc/core/config/parse-config';
import { formatProblem } from '@svc/core/config/problem';
import { bind } from '@svc/core/endpoint/bind';
import type { Argument, Endpoint } from '@svc/core/endpoint/definition';
import { Refusal } from '@svc/core/refusal';
import { TEMPLATE_CATEGORIES } from '@svc/core/template/category';
import { importPlan } from '@svc/core/template/import-plan';
import { readTemplate } from '@svc/core/template/read-template';
import type { Template } from '@svc/core/template/template';
import fc from 'fast-check';
import { TEMPLATE_TEXTS } from '../../templates/texts.ts';
import { CANARY, hostileValue, runningValue } from '../command/hostile-values.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';
import { CRON_JOBS } from './cases/cron-jobs.ts';
import { DATABASE } from './cases/database.ts';
import { DEPLOYMENT } from './cases/deployment.ts';
import { DOCKER } from './cases/docker.ts';
import { GIT } from './cases/git.ts';
import { MONITORING } from './cases/monitoring.ts';
import { REPOSITORY } from './cases/repository.ts';
import { prepare, type TemplateRun, TemplateRunner } from './run-template.ts';
import type { TemplateCase, TemplateCases } from './template-case.ts';

const CASES: TemplateCases = { ...DEPLOYMENT, ...DOCKER, ...DATABASE, ...GIT, ...MONITORING, ...CRON_JOBS };
const TEMPLATES = [...TEMPLATE_TEXTS].map(([id, text]) => read(id, text));
const ENDPOINTS = TEMPLATES.flatMap(({ endpoints }) => endpoints);
const runner = new TemplateRunner();
let repository: TemporaryFolder;
beforeAll(async () => {
  repository = await temporaryFolder();
  await prepare(REPOSITORY, repository.path);
});
afterAll(() => Promise.all([runner[Symbol.asyncDispose](), repository[Symbol.asyncDispose]()]));

function read(id: string, text: string): Template {
  const result = readTemplate(id, text);
  if (result.kind === 'template') return result.template;
  throw new Error(result.problems.map((problem) => formatProblem(id, problem)).join('\n'));
}

describe('the gallery', () => {
  test('has at least 30 templates, and at least 4 in each category', () => {
    expect(TEMPLATES.length).toBeGreaterThanOrEqual(30);
    const few = TEMPLATE_CATEGORIES.filter(
      (shelf) => TEMPLATES.filter(({ category }) => category === shelf).length < 4,
    );
    expect(few).toEqual([]);
  });

  test('has each template in the folder of its category', () => {
    const lost = TEMPLATES.filter(({ templateId, category }) => {
      const folder = category.toLowerCase().replace(' ', '-');
      return !existsSync(`${import.meta.dir}/../../templates/${folder}/${templateId}.yaml`);
    });
    expect(lost).toEqual([]);
  });

  test('calls no two templates the same', () => {
    expect(new Set(TEMPLATES.map(({ name }) => name)).size).toBe(TEMPLATES.length);
  });

  test('can be imported whole: no two endpoints want the same URL', () => {
    const slugs = new Set<string>();
    for (const template of TEMPLATES) {
      const plan = importPlan(template, slugs);
      expect(plan).toEqual({ create: template.endpoints, skipped: [] });
      for (const { slug } of plan.create) slugs.add(slug);
    }
  });

  test.each([...TEMPLATE_TEXTS])('%s passes svc validate without a warning', (_id, text) => {
    expect(parseConfig(text)).toMatchObject({ kind: 'config', warnings: [] });
  });

  test('describes every endpoint, and limits the length of every text that a caller chooses', () => {
    expect(ENDPOINTS.filter(({ description }) => description === undefined)).toEqual([]);
    const unlimited = ENDPOINTS.flatMap(({ slug, args }) =>
      args
        .filter(
          ({ type, maxLength, pattern }) => type === 'string' && !maxLength && !/\{\d/.test(pattern ?? ''),
        )
        .map(({ name }) => `${slug}: ${name}`),
    );
    expect(unlimited).toEqual([]);
  });

  test('has something that runs by itself in every cron job', () => {
    const idle = TEMPLATES.filter(({ category }) => category === 'Cron Jobs').filter(
      ({ endpoints }) => !endpoints.some(({ schedule }) => schedule !== undefined),
    );
    expect(idle).toEqual([]);
  });

  test('is tested whole: each endpoint is run, and nothing that is no endpoint', () => {
    expect(Object.keys(CASES).sort()).toEqual(ENDPOINTS.map(({ slug }) => slug).sort());
  });
});

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
    .filter(({ type }) => type === 'string')
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
