import { describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { parseConfig } from '@svc/core/config/parse-config';
import { TEMPLATE_CATEGORIES } from '@svc/core/template/category';
import { importPlan } from '@svc/core/template/import-plan';
import { TEMPLATE_TEXTS } from '../../templates/texts.ts';
import { CASES, ENDPOINTS, FILE_ENDPOINTS, TEMPLATES } from './templates.ts';

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
          ({ type, maxLength, pattern }) => type === 'text' && !maxLength && !/\{\d/.test(pattern ?? ''),
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
    const run = [...Object.keys(CASES), ...FILE_ENDPOINTS.map(({ slug }) => slug)];
    expect(run.sort()).toEqual(ENDPOINTS.map(({ slug }) => slug).sort());
  });
});
