// Every block of code in the documents is at least read by what would run it. Blocks of some documents also run: test/spec/readme.test.ts,
// test/spec/from-ci-document.test.ts, test/clients.
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseConfig } from '@svc/core/config/parse-config';
import { formatProblem } from '@svc/core/config/problem';
import { bind } from '@svc/core/endpoint/bind';
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
  expect(found.length).toBeGreaterThanOrEqual(5);
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

test('every svc command has a subcommand and options that the program knows', () => {
  const reference = readFileSync(join(ROOT, 'docs/reference/cli.md'), 'utf8').split(/^## svc /m);
  const sections = new Map(reference.map((text) => [/^[\w-]+/.exec(text)?.[0], text]));
  const commands = blocks(/^(?:sh|bash)$/).flatMap(({ place, text }) =>
    [...text.replaceAll('\\\n', ' ').matchAll(/(?:^|[|(] ?)svc ([a-z][\w-]*)([^|#)\n]*)/gm)].map(
      ([command, name, rest = '']) => ({
        place,
        command,
        name,
        options: rest.match(/(?<= )--[a-z-]+/g) ?? [],
      }),
    ),
  );
  expect(commands.length).toBeGreaterThan(80);
  const unknown = commands.filter(({ name, options }) => {
    const section = sections.get(name);
    return (
      section === undefined || !options.every((option) => new RegExp(`${option}(?![a-z-])`).test(section))
    );
  });
  expect(unknown.map(({ place, command }) => `${place}: ${command}`)).toEqual([]);
});

test('each of the twenty recipes calls what its own file has, with values that it takes', () => {
  const recipes = readFileSync(join(ROOT, 'docs/guides/recipes.md'), 'utf8').split(/^## /m).slice(1);
  expect(recipes.length).toBe(20);
  let checked = 0;
  for (const recipe of recipes) {
    const [, file = ''] = /^```yaml\n(version: 1\n[\s\S]*?)^```$/m.exec(recipe) ?? [];
    const parsed = file === '' ? undefined : parseConfig(file);
    const config = parsed?.kind === 'config' ? parsed.config : undefined;
    const secrets = Object.fromEntries([...file.matchAll(/\$svc:(\w+)/g)].map(([, name]) => [name, 'x']));
    for (const [line, name, rest = ''] of recipe.matchAll(/^svc call (\S+)(.*)$/gm)) {
      checked += 1;
      const pairs = [...rest.matchAll(/ ([a-z]+)=(\S+)/g)].map(
        ([, key = '', value = '']) => [key, value] as const,
      );
      const endpoint = config?.endpoints.find((one) => one.slug === name);
      if (endpoint === undefined) {
        expect([line, config?.pipelines.map((one) => one.slug)]).toEqual([line, [name ?? '']]);
        continue;
      }
      const isFile = ([, value]: readonly [string, string]) => value.startsWith('@');
      const values = new Map(pairs.filter((pair) => !isFile(pair)));
      expect(() => bind(endpoint, values, secrets, new Map(pairs.filter(isFile)))).not.toThrow();
      const known = endpoint.args.map((argument) => argument.name);
      expect([line, pairs.filter(([key]) => !known.includes(key))]).toEqual([line, []]);
    }
  }
  expect(checked).toBeGreaterThan(10);
});

test('the comparison with webhook has the figures that were measured', async () => {
  const { sections } = await Bun.file(join(ROOT, 'bench/results/serve-2026-11-22.json')).json();
  const ratioOf = (command: string): string =>
    sections[0].comparisons
      .find((one: { against: string }) => one.against === `webhook, \`${command}\``)
      .ratio.median.toFixed(2);
  const text = readFileSync(join(ROOT, 'docs/guides/compared-with.md'), 'utf8').replaceAll(/\s+/g, ' ');
  expect(text).toContain(
    `${ratioOf('/bin/sh -c echo hi')} times as many \`echo hi\` through a shell per second as webhook 2.8.0, and ${ratioOf('/bin/echo hi')} times as many without a shell`,
  );
});
