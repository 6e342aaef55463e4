// The files that the site of a public repository and editors read: nothing else here would notice that they are wrong.
import { expect, test } from 'bun:test';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dir, '..');
const FORMS = join(ROOT, '.github/ISSUE_TEMPLATE');
const text = (path: string) => readFileSync(join(ROOT, path), 'utf8');

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

test('the workflow runs .ci/run on the whole history, with actions that cannot change', () => {
  const { permissions, jobs } = Bun.YAML.parse(text('.github/workflows/ci.yml')) as {
    permissions: unknown;
    jobs: Record<string, { steps: Step[] }>;
  };
  const steps = Object.values(jobs).flatMap((job) => job.steps);
  expect(permissions).toEqual({ contents: 'read' });
  expect(steps.filter(({ uses }) => uses !== undefined && !/@[0-9a-f]{40}$/.test(uses))).toEqual([]);
  expect(steps.find(({ uses }) => uses?.startsWith('actions/checkout@'))?.with).toMatchObject({
    'fetch-depth': 0,
  });
  expect(steps.at(-1)).toEqual({ run: '.ci/run' });
  expect(statSync(join(ROOT, '.ci/run')).mode & 0o111).toBe(0o111);
});

test('.editorconfig and Biome agree', () => {
  const { formatter } = JSON.parse(text('biome.json')) as { formatter: Record<string, unknown> };
  const editor = text('.editorconfig');
  expect(editor).toContain(
    `indent_style = ${formatter.indentStyle}\nindent_size = ${formatter.indentWidth}\n`,
  );
  expect(editor).toContain(`[*.{ts,tsx,mjs,json,css}]\nmax_line_length = ${formatter.lineWidth}\n`);
});

test('the dev container opens the port of svc up, with commands of package.json', () => {
  const container = JSON.parse(text('.devcontainer/devcontainer.json')) as Record<string, unknown>;
  const { scripts } = JSON.parse(text('package.json')) as { scripts: Record<string, string> };
  expect(container.forwardPorts).toEqual([8787]);
  expect(Object.keys(scripts)).toContain(String(container.postCreateCommand).replace('npm run ', ''));
});

const forms = readdirSync(FORMS).filter((file) => file !== 'config.yml');
test.each(forms)('the issue form %s has a name, and fields with ids of their own', (file) => {
  const form = Bun.YAML.parse(readFileSync(join(FORMS, file), 'utf8')) as {
    name: string;
    description: string;
    body: { type: string; id?: string; attributes: { label?: string; value?: string } }[];
  };
  expect([typeof form.name, typeof form.description]).toEqual(['string', 'string']);
  const fields = form.body.filter(({ type }) => type !== 'markdown');
  expect(fields.length).toBeGreaterThan(1);
  expect(
    fields.filter(({ type }) => !['input', 'textarea', 'dropdown', 'checkboxes'].includes(type)),
  ).toEqual([]);
  expect(new Set(fields.map(({ id }) => id)).size).toBe(fields.length);
  expect(form.body.filter(({ attributes: { label, value } }) => !label && !value)).toEqual([]);
});
