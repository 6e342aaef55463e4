import { afterAll, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { parseConfig } from '@svc/core/config/parse-config';
import { formatProblem } from '@svc/core/config/problem';
import { TEMPLATE_CATEGORIES } from '@svc/core/template/category';
import { importPlan } from '@svc/core/template/import-plan';
import { readTemplate } from '@svc/core/template/read-template';
import type { Template } from '@svc/core/template/template';
import { TEMPLATE_TEXTS } from '../../templates/texts.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { CRON_JOBS } from './cases/cron-jobs.ts';
import { DATABASE } from './cases/database.ts';
import { DEPLOYMENT } from './cases/deployment.ts';
import { DOCKER } from './cases/docker.ts';
import { GIT } from './cases/git.ts';
import { MONITORING } from './cases/monitoring.ts';
import { prepare, TemplateRunner } from './run-template.ts';
import type { TemplateCase, TemplateCases } from './template-case.ts';

const CASES: TemplateCases = { ...DEPLOYMENT, ...DOCKER, ...DATABASE, ...GIT, ...MONITORING, ...CRON_JOBS };
const TEMPLATES = [...TEMPLATE_TEXTS].map(([id, text]) => read(id, text));
const ENDPOINTS = TEMPLATES.flatMap(({ endpoints }) => endpoints);
const runner = new TemplateRunner();
afterAll(() => runner[Symbol.asyncDispose]());

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

async function check(
  endpoint: Template['endpoints'][number],
  one: TemplateCase,
  folder: string,
): Promise<void> {
  if (one.before !== undefined) await prepare(one.before, folder);
  const run = await runner.run({
    endpoint,
    folder,
    ...(one.args && { args: one.args }),
    env: inFolder(one.env ?? {}, folder),
    ...(one.endless && { until: String(one.output) }),
  });
  const text = run?.text.replaceAll(folder, 'FOLDER') ?? 'the values were refused';
  if (one.endless) expect(run?.ending.kind, text).toBe('cancelled');
  else expect(run?.ending, text).toMatchObject({ kind: 'exited', exitCode: one.exitCode ?? 0 });
  if (one.output instanceof RegExp) expect(text).toMatch(one.output);
  else if (one.output !== undefined) expect(text).toEndWith(one.output);
  if (one.data !== undefined) expect(dataOf(run?.ending)).toEqual(one.data);
  if (one.after !== undefined) await prepare(one.after, folder);
}

function inFolder(env: Readonly<Record<string, string>>, folder: string): Record<string, string> {
  const entries = Object.entries(env).map(([name, value]) => [name, value.replace('FOLDER', folder)]);
  return Object.fromEntries(entries) as Record<string, string>;
}

function dataOf(ending: unknown): unknown {
  const { transformed } = ending as { transformed?: { kind: string; json?: string } };
  return transformed?.json === undefined ? transformed : JSON.parse(transformed.json);
}
