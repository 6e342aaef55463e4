// Every block of code in the documents is at least read by what would run it. Blocks of some documents also run: test/spec/readme.test.ts,
// test/spec/from-ci-document.test.ts, test/clients.
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseConfig } from '@svc/core/config/parse-config';
import { formatProblem } from '@svc/core/config/problem';
import { curlRequests, httpProblems, requestProblems } from './http-blocks.ts';

const ROOT = join(import.meta.dir, '../..');
const FILES = [...new Bun.Glob('docs/**/*.md').scanSync(ROOT), 'README.md', 'CONTRIBUTING.md'].sort();

function blocks(language: RegExp): { readonly place: string; readonly text: string }[] {
  return FILES.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
      .filter(([, name = '']) => language.test(name))
      .map(({ index, 2: block = '' }) => ({
        place: `${file}:${text.slice(0, index).split('\n').length}`,
        text: block,
      }));
  });
}

test('bash reads every block of shell', async () => {
  const found = blocks(/^(?:sh|bash)$/);
  expect(found.length).toBeGreaterThan(40);
  const problems = found.map(({ place, text }) => {
    const { exitCode, stderr } = Bun.spawnSync(['bash', '-n'], { stdin: Buffer.from(text) });
    return exitCode === 0 ? undefined : `${place}: ${stderr}`;
  });
  expect(problems.filter((problem) => problem !== undefined)).toEqual([]);
});

test('every block of YAML is YAML, and a config file is accepted', () => {
  const found = blocks(/^ya?ml$/);
  expect(found.length).toBeGreaterThan(20);
  const problems = found.flatMap(({ place, text }) => {
    try {
      Bun.YAML.parse(text);
    } catch (error) {
      return [`${place}: ${String(error)}`];
    }
    if (!/^version: 1$/m.test(text)) return [];
    const parsed = parseConfig(text);
    return parsed.kind === 'config' ? [] : parsed.problems.map((problem) => formatProblem(place, problem));
  });
  expect(problems).toEqual([]);
});

test('every block of JSON is JSON', () => {
  const problems = blocks(/^json$/).filter(({ text }) => {
    try {
      JSON.parse(text);
      return false;
    } catch {
      return true;
    }
  });
  expect(problems).toEqual([]);
});

test('every block of HTTP is what the hub takes and answers: method, path, fields and status', () => {
  const found = blocks(/^http$/);
  expect(found.length).toBeGreaterThanOrEqual(3);
  const problems = found.flatMap(({ place, text }) =>
    httpProblems(text).map((problem) => `${place}: ${problem}`),
  );
  expect(problems).toEqual([]);
});

test('every curl to a hub has a route that takes its method and its fields', () => {
  const found = blocks(/^(?:sh|bash|console)$/).flatMap(({ place, text }) =>
    curlRequests(text).map((request) => ({ place, request })),
  );
  expect(found.length).toBeGreaterThan(20);
  const problems = found.flatMap(({ place, request }) =>
    requestProblems(request).map((problem) => `${place}: ${problem}`),
  );
  expect(problems).toEqual([]);
});
