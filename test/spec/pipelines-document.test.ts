// docs/guides/pipelines.md: what it shows is what is accepted.
import { expect, test } from 'bun:test';
import { parseConfig } from '@svc/core/config/parse-config';
import { checkPipeline } from '@svc/core/pipeline/definition/check-pipeline';
import { COMPARISONS } from '@svc/core/pipeline/expression/expression';
import { parseExpression } from '@svc/core/pipeline/expression/parse-expression';
import { STEP_FIELDS } from '@svc/core/pipeline/reference/reference';
import { LIMITS } from '@svc/core/plan/limits';
import { LINK_LIMITS } from '@svc/core/protocol/limits';

const text = await Bun.file(new URL('../../docs/guides/pipelines.md', import.meta.url)).text();

function blocks(language: string): string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    ([, block = '']) => block,
  );
}

function fileOf(block: string) {
  const parsed = parseConfig(block);
  if (parsed.kind === 'problems') throw new Error(JSON.stringify(parsed.problems));
  return parsed;
}

test('the files are valid, and call only what is in them', () => {
  const files = blocks('yaml').map(fileOf);
  expect(files.flatMap(({ config }) => config.pipelines).length).toBeGreaterThan(0);
  expect(files.flatMap(({ warnings }) => warnings)).toEqual([]);
});

test('each definition in JSON is one, with the endpoints of the first file', () => {
  const { config } = fileOf(blocks('yaml')[0] ?? '');
  const endpoints = new Map(config.endpoints.map((endpoint) => [endpoint.slug, endpoint]));
  const definitions = blocks('json').map((block) => JSON.parse(block) as { nodes?: unknown });
  const pipelines = definitions.filter(({ nodes }) => nodes !== undefined);
  expect(pipelines.length).toBeGreaterThan(0);
  for (const definition of pipelines) expect(checkPipeline(definition, { endpoints }).kind).toBe('pipeline');
});

test('each condition can be read, and each operator and part of a step is named', () => {
  const [, section = ''] = text.split('## Conditions');
  const [table = ''] = section.split('## ');
  const conditions = [...table.matchAll(/^\| `(.+?)` \|/gm)].map(([, one = '']) =>
    one.replaceAll('\\|', '|'),
  );
  expect(conditions.length).toBeGreaterThan(3);
  for (const one of conditions) expect([one, parseExpression(one).kind]).toEqual([one, 'expression']);
  for (const word of [...COMPARISONS, '&&', '||', '!']) expect(table).toContain(`\`${word}\``);
  for (const field of STEP_FIELDS) expect(text).toContain(`{steps.build.${field}`);
});

test('the limits are those of the program', () => {
  const shown = (value: number) => value.toLocaleString('en-US');
  for (const value of [
    LIMITS.pipelineNodes,
    LIMITS.pipelineEdges,
    LIMITS.expressionChars,
    LIMITS.expressionDepth,
  ])
    expect(text).toContain(shown(value));
  expect(text).toContain(`| fields of an input schema | ${LIMITS.pipelineFields} |`);
  expect(text).toContain(`| a text of a step | ${LIMITS.valueBytes / 1024} KiB |`);
  expect(text).toContain(`| pipelines of one file | ${LINK_LIMITS.pipelines} |`);
});
