import { afterAll, describe, expect, test } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { type BoundCommand, bind } from '@svc/core/endpoint/bind';
import { compileCommand } from '@svc/core/endpoint/command/compile-command';
import type { Argument } from '@svc/core/endpoint/definition';
import fc from 'fast-check';
import { hostileValue, NAUGHTY } from '../command/hostile-values.ts';
import { printedWords, run, SHELLS, type Shell, SYSTEM_SHELL } from '../command/shells.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const folder = await temporaryFolder();
afterAll(() => folder[Symbol.asyncDispose]());

/** Ways for a value to stand in a word, and what the word then is. */
const CONTEXTS: readonly [source: (placeholder: string) => string, word: (value: string) => string][] = [
  [(placeholder) => placeholder, (value) => value],
  [(placeholder) => `"${placeholder}"`, (value) => value],
  [(placeholder) => `'${placeholder}'`, (value) => value],
  [(placeholder) => `a${placeholder}b`, (value) => `a${value}b`],
  [(placeholder) => `"a b${placeholder}$"`, (value) => `a b${value}$`],
  [(placeholder) => `'a $(b)${placeholder}" c'`, (value) => `a $(b)${value}" c`],
  [(placeholder) => `--name=${placeholder}`, (value) => `--name=${value}`],
  [(placeholder) => `${placeholder}${placeholder}`, (value) => `${value}${value}`],
  [(placeholder) => `"${placeholder}"'${placeholder}'${placeholder}`, (value) => `${value}${value}${value}`],
  [(placeholder) => `\\"${placeholder}\\ `, (value) => `"${value} `],
];

/** Contexts whose fixed text itself is for a shell only. */
const SHELL_CONTEXTS: typeof CONTEXTS = [
  ...CONTEXTS,
  [(placeholder) => `$(printf x)${placeholder}`, (value) => `x${value}`],
  [(placeholder) => `"$((1 + 1))${placeholder}"`, (value) => `2${value}`],
  [(placeholder) => `"$(printf x | cat)"${placeholder}`, (value) => `x${value}`],
  [(placeholder) => `\${UNSET-x}"\${UNSET:-y}${placeholder}"`, (value) => `xy${value}`],
];

function argumentsFor(values: readonly string[]): Argument[] {
  return values.map((_, i) => ({
    name: `a${i}`,
    required: true,
    type: 'text',
    inferred: false,
    secret: false,
    allowDash: true,
  }));
}

/** Binds each value in one context after another; `wrap` makes the whole command of the words. */
function bindAll(
  values: readonly string[],
  contexts: typeof CONTEXTS,
  wrap: (words: string) => string,
): BoundCommand {
  const args = argumentsFor(values);
  const words = values.map((_, i) => contexts[i % contexts.length]?.[0](`{{a${i}}}`)).join(' ');
  const compiled = compileCommand(wrap(`printf '%s\\0' ${words}`), args);
  if (compiled.kind === 'problems') throw new Error(JSON.stringify(compiled.problems));
  return bind({ program: compiled.program, args }, new Map(values.map((value, i) => [`a${i}`, value])));
}

function expectedWords(values: readonly string[], contexts: typeof CONTEXTS): string[] {
  return values.map((value, i) => contexts[i % contexts.length]?.[1](value) ?? '');
}

async function expectNothingElseRan(): Promise<void> {
  expect(await readdir(folder.path)).toEqual([]);
}

async function expectArgvIntact(values: readonly string[]): Promise<void> {
  const bound = bindAll(values, CONTEXTS, (words) => words);
  expect(bound.shell).toBe(false);
  const ran = await run(bound.argv, { cwd: folder.path, env: bound.env });
  expect(printedWords(ran)).toEqual(expectedWords(values, CONTEXTS));
  await expectNothingElseRan();
}

/** `argv` is `/bin/sh -c TEXT`; other shells get the same text. */
async function expectShellIntact(shell: Shell, values: readonly string[]): Promise<void> {
  const bound = bindAll(values, SHELL_CONTEXTS, (words) => `if :; then ${words} | cat; fi`);
  expect(bound.shell).toBe(true);
  const ran = await run([...shell.argv, '-c', bound.argv[2] ?? ''], { cwd: folder.path, env: bound.env });
  expect(printedWords(ran)).toEqual(expectedWords(values, SHELL_CONTEXTS));
  await expectNothingElseRan();
}

/** A command takes 200 values, and some contexts hold theirs three times. */
const PER_COMMAND = 90;
const PER_PROCESS = 40;
const batch = fc.array(hostileValue, { minLength: PER_PROCESS, maxLength: PER_PROCESS });
/** 10,000 values and more, each in its context. */
const RUNS = { numRuns: 252 };

describe('a value arrives byte for byte and nothing else runs', () => {
  test('in argv mode, 10,000 hostile values', async () => {
    await fc.assert(fc.asyncProperty(batch, expectArgvIntact), RUNS);
  }, 120_000);

  test.each(SHELLS.map((shell) => [shell.name, shell] as const))(
    'in shell mode by %s, 10,000 hostile values in every quote context',
    async (_, shell) => {
      await fc.assert(
        fc.asyncProperty(batch, (values) => expectShellIntact(shell, values)),
        RUNS,
      );
    },
    120_000,
  );

  test('every naughty string in every context', async () => {
    for (let shift = 0; shift < SHELL_CONTEXTS.length; shift++) {
      for (let from = 0; from < NAUGHTY.length; from += PER_COMMAND) {
        const values = [
          ...Array.from({ length: shift }, () => ''),
          ...NAUGHTY.slice(from, from + PER_COMMAND),
        ];
        await expectArgvIntact(values);
        await expectShellIntact(SYSTEM_SHELL, values);
      }
    }
  }, 60_000);

  test('as large as values may be', async () => {
    for (let at = 0; at < CONTEXTS.length; at++) {
      // Where the word holds the value three times no program could be given the largest one.
      const largest = at === 8 ? 43_000 : at === 7 ? 65_000 : 65_530;
      const value = `'"$(touch canary)\\\n`.repeat(4000).slice(0, largest);
      const values = [...Array.from({ length: at }, () => 'x'), value];
      await expectArgvIntact(values);
      for (const shell of SHELLS) await expectShellIntact(shell, values);
    }
  }, 60_000);
});

describe('an absent optional argument', () => {
  const args: Argument[] = [
    { name: 'o', required: false, type: 'text', inferred: false, secret: false, allowDash: false },
    { name: 'p', required: false, type: 'text', inferred: false, secret: false, allowDash: false },
  ];
  const words = `printf '%s\\0' start {{o}} "{{o}}" '{{o}}' x{{o}} {{o}}{{p}} {{p}} end`;

  function bound(command: string, given: Readonly<Record<string, string>>): BoundCommand {
    const compiled = compileCommand(command, args);
    if (compiled.kind === 'problems') throw new Error(JSON.stringify(compiled.problems));
    return bind({ program: compiled.program, args }, new Map(Object.entries(given)));
  }

  const absent = ['start', '', '', 'x', '', 'end'];
  const given = ['start', 'a  b', 'a  b', 'a  b', 'xa  b', 'a  b*', '*', 'end'];

  test('takes its word along in argv mode', async () => {
    const { argv, env } = bound(words, {});
    expect(printedWords(await run(argv, { cwd: folder.path, env }))).toEqual(absent);
  });

  test.each(SHELLS.map((shell) => [shell.name, shell] as const))(
    'takes its word along in shell mode by %s, also under set -eu',
    async (_, shell) => {
      const command = `set -eu; IFS=' ab'; for w in {{o}} {{p}}; do printf 'loop\\0'; done; [ {{o}} ] || :; ${words}`;
      const without = bound(command, {});
      const ran = await run([...shell.argv, '-c', without.argv[2] ?? ''], {
        cwd: folder.path,
        env: without.env,
      });
      expect(printedWords(ran)).toEqual(absent);
      const both = bound(command, { o: 'a  b', p: '*' });
      const filled = await run([...shell.argv, '-c', both.argv[2] ?? ''], {
        cwd: folder.path,
        env: both.env,
      });
      expect(printedWords(filled)).toEqual(['loop', 'loop', ...given]);
    },
  );
});
