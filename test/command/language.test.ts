import { afterAll, expect, test } from 'bun:test';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type BoundCommand, bind } from '@svc/core/endpoint/bind';
import { type CompiledCommand, compileCommand } from '@svc/core/endpoint/command/compile-command';
import type { Argument } from '@svc/core/endpoint/definition';
import fc from 'fast-check';
import { temporaryFolder } from '../temporary-folder.ts';
import { CANARY, hostileValue, runningValue } from './hostile-values.ts';
import { NAMES, type PrintingText, printingText, type Word } from './printing-text.ts';
import { printedWords, run, SHELLS, type Shell, SYSTEM_SHELL } from './shells.ts';
import { trapText, wildText } from './wild-text.ts';

const folder = await temporaryFolder();
afterAll(() => folder[Symbol.asyncDispose]());

/** How much is tried. */
const EFFORT = process.env.SVC_TEST_LONG === undefined ? 0.4 : 8;

const ARGUMENTS: readonly Argument[] = NAMES.map((name) => ({
  name,
  required: true,
  type: 'text',
  inferred: false,
  secret: false,
  allowDash: true,
}));

type Values = Readonly<Record<string, string>>;
const values: fc.Arbitrary<Values> = fc.record({ a: hostileValue, b: hostileValue, c: hostileValue });

function bindCompiled(compiled: CompiledCommand, given: Values): BoundCommand {
  if (compiled.kind === 'problems') throw new Error(JSON.stringify(compiled.problems));
  return bind({ program: compiled.program, args: ARGUMENTS }, new Map(Object.entries(given)));
}

/** Runs a bound command; in shell mode by the given shell. */
function runBound(bound: BoundCommand, shell: Shell) {
  const argv = bound.shell ? [...shell.argv, '-c', bound.argv[2] ?? ''] : bound.argv;
  return run(argv, { cwd: folder.path, env: bound.env });
}

/** Whether a value ran; asking makes ready for the next one. The texts themselves may leave other files. */
async function canarySang(): Promise<boolean> {
  if (!(await readdir(folder.path)).includes(CANARY)) return false;
  await rm(join(folder.path, CANARY));
  return true;
}

async function expectNothingElseRan(): Promise<void> {
  expect(await readdir(folder.path)).toEqual([]);
}

/** Words without values, in all the ways to quote. */
const quotedWord = fc
  .array(
    fc.oneof(
      fc.string({
        unit: fc.constantFrom(...Array.from('aé漢 \t\n\'"\\$`|&;<>()*?[]{},#~=!%-:^')),
        maxLength: 6,
      }),
      fc
        .string({ unit: fc.constantFrom(...Array.from('a "\\$`\n|*#{}')), maxLength: 6 })
        .map((text) => `'${text}'`),
      fc
        .string({ unit: fc.constantFrom(...Array.from("a '\n|*#{}\\")), maxLength: 6 })
        .map((text) => `"${text}"`),
      fc.constantFrom(
        '\\"',
        "\\'",
        '\\$',
        '\\`',
        '\\\\',
        '"\\""',
        '"\\$x"',
        '"\\`"',
        '"\\a"',
        '"a\\\nb"',
        ' \\\n ',
        '\\\u{1f600}',
      ),
    ),
    { maxLength: 5 },
  )
  .map((parts) => parts.join(''))
  // At the end of a line a backslash would join it with the next one of the batch.
  .filter((line) => !line.endsWith('\\'));

test('a text that needs no shell has the words that /bin/sh would pass on', async () => {
  let compared = 0;
  const END = '\u0001end';
  await fc.assert(
    fc.asyncProperty(fc.array(quotedWord, { minLength: 60, maxLength: 60 }), async (lines) => {
      const expected: string[][] = [];
      let script = '';
      for (const line of lines) {
        const compiled = compileCommand(`command-name ${line}`, []);
        if (compiled.kind === 'problems' || compiled.program.mode === 'shell') continue;
        expected.push(bind({ program: compiled.program, args: [] }, new Map()).argv.slice(1));
        script += `printf '%s\\0' word ${line}\nprintf '%s\\0' '${END}'\n`;
      }
      compared += expected.length;
      const ran = await run(['/bin/sh', '-c', script], { cwd: folder.path });
      expect(printedWords(ran)).toEqual(expected.flatMap((words) => ['word', ...words, END]));
    }),
    { numRuns: 100 * EFFORT },
  );
  expect(compared).toBeGreaterThan(1000 * EFFORT);
}, 120_000);

function fill(word: Word, given: Values): string {
  return word.map((part) => (typeof part === 'string' ? part : given[part.value])).join('');
}

test(
  'every well-formed composition of quotes, compounds and placeholders is accepted and keeps its values whole',
  async () => {
    await fc.assert(
      fc.asyncProperty(printingText, values, async (text: PrintingText, given) => {
        const bound = bindCompiled(compileCommand(text.source, ARGUMENTS), given);
        for (const shell of SHELLS) {
          const ran = await runBound(bound, shell);
          expect(printedWords(ran)).toEqual(text.words.map((word) => fill(word, given)));
          expect(ran.exitCode).toBe(0);
        }
        await expectNothingElseRan();
      }),
      { numRuns: 800 * EFFORT },
    );
  },
  240_000 * EFFORT,
);

/** A value that can be found again in what was printed: whole, or torn. */
const marked = hostileValue.map((value) => `\u0002<${value.replaceAll(/[\0\u0002]/g, '')}>\u0002`);
const markedValues: fc.Arbitrary<Values> = fc.record({ a: marked, b: marked, c: marked });

test(
  'in any accepted text, no value runs and none is split',
  async () => {
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(wildText, markedValues, async (text, given) => {
        const compiled = compileCommand(text, ARGUMENTS);
        if (compiled.kind === 'problems' || !holdsValue(text)) return;
        accepted += 1;
        const bound = bindCompiled(compiled, given);
        for (const shell of SHELLS) {
          const ran = await runBound(bound, shell);
          if (await canarySang()) throw new Error(`${shell.name} ran a value in ${JSON.stringify(text)}`);
          if (!EXPANDS.test(text)) expectWhole(text, shell, ran.stdout, given);
        }
      }),
      { numRuns: 8000 * EFFORT },
    );
    expect(accepted).toBeGreaterThan(200 * EFFORT);
  },
  240_000 * EFFORT,
);

/** The owner's own expansions may split and cut what they expand, and some commands print variables in their own way. */
const EXPANDS = /\$[A-Za-z1@{(]|`|\bset\b|\bexport\b|\benv\b/;

test(
  'no trap catches a value: what is accepted of it runs nothing',
  async () => {
    let accepted = 0;
    const codes = fc.record({ a: runningValue, b: runningValue, c: runningValue });
    await fc.assert(
      fc.asyncProperty(trapText, codes, async (text, given) => {
        const compiled = compileCommand(text, ARGUMENTS);
        if (compiled.kind === 'problems' || !holdsValue(text)) return;
        accepted += 1;
        const bound = bindCompiled(compiled, given);
        for (const shell of SHELLS) {
          await runBound(bound, shell);
          if (await canarySang()) throw new Error(`${shell.name} ran a value in ${JSON.stringify(text)}`);
        }
      }),
      { numRuns: 8000 * EFFORT },
    );
    expect(accepted).toBeGreaterThan(100 * EFFORT);
  },
  240_000 * EFFORT,
);

function holdsValue(text: string): boolean {
  return NAMES.some((name) => text.includes(`{{${name}}}`)) || text.includes('SVC_ARG_');
}

/** Each marked value begins with a mark of its own: what follows it must be the rest of one of them. */
function expectWhole(text: string, shell: Shell, printed: string, given: Values): void {
  for (let at = printed.indexOf('\u0002<'); at !== -1; at = printed.indexOf('\u0002<', at + 1)) {
    const whole = Object.values(given).some((value) => printed.startsWith(value, at));
    if (!whole)
      throw new Error(
        `${shell.name} tore a value apart in ${JSON.stringify(text)}: ${JSON.stringify(printed)}`,
      );
  }
}

test('the canary sings when a value does run', async () => {
  const text = 'eval "$SVC_ARG_A"';
  await run([...SYSTEM_SHELL.argv, '-c', text], {
    cwd: folder.path,
    env: { SVC_ARG_A: `$(touch ${CANARY})` },
  });
  expect(await canarySang()).toBe(true);
});
