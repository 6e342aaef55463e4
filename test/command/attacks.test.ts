import { describe, expect, test } from 'bun:test';
import { endpointsOf } from '@svc/core/config/fixtures/svc-yaml';
import { bind } from '@svc/core/endpoint/bind';
import { compileCommand } from '@svc/core/endpoint/command/compile-command';
import type { Argument, ArgumentType } from '@svc/core/endpoint/definition';
import { Refusal } from '@svc/core/refusal';
import { ATTACKED_COMMANDS, HOSTILE_VALUES } from './attacks.ts';

const NAMES = ['x', 'y'] as const;
const BASE = { required: true, secret: false, allowDash: false } as const;

function compiled(command: string, type: ArgumentType | undefined) {
  return compileCommand(
    command,
    NAMES.map((name) => ({ ...BASE, name, type })),
  );
}

/** The effect of the hostile values in a command whose arguments have no type: those that are accepted. */
function acceptedValues(command: string): readonly string[] | 'refused at load' {
  const result = compiled(command, undefined);
  if (result.kind === 'problems') return 'refused at load';
  const args: Argument[] = NAMES.map((name) => ({
    ...BASE,
    name,
    type: result.types.get(name) ?? 'text',
    inferred: true,
  }));
  return HOSTILE_VALUES.filter((value) => isAccepted(result.program, args, value));
}

function isAccepted(
  program: Parameters<typeof bind>[0]['program'],
  args: readonly Argument[],
  value: string,
): boolean {
  try {
    bind({ program, args }, new Map(NAMES.map((name) => [name, value])));
    return true;
  } catch (error) {
    if (error instanceof Refusal && error.code === 'invalid_argument') return false;
    throw error;
  }
}

test('there are more definitions than the ones that were attacked', () => {
  expect(new Set(ATTACKED_COMMANDS).size).toBeGreaterThanOrEqual(180);
});

describe('an attacked definition without types is refused, or takes none of the hostile values', () => {
  test.each([...ATTACKED_COMMANDS])('%s', (command) => {
    const accepted = acceptedValues(command);
    if (accepted !== 'refused at load') expect(accepted).toEqual([]);
  });
});

describe('program text takes no text by the word "type: text", only by "type: code"', () => {
  test.each([
    ['sh -c "echo {{x}}"', true],
    ['python3 -c "print({{x}})"', true],
    ['psql -c "select {{x}}"', true],
    ['sqlite3 a.db {{x}}', true],
    ['jq ".{{x}}" f', true],
    ['awk "{print {{x}}}" f', true],
    ['eval {{x}}', true],
    // The name of a command is never a value.
    ['sudo {{x}}', false],
    ['{{x}} -la', false],
    ['docker exec web {{x}}', false],
    ['LD_PRELOAD={{x}} ls', false],
  ] as const)('%s', (command, opensForCode) => {
    expect(compiled(command, 'text').kind).toBe('problems');
    expect(compiled(command, 'word').kind).toBe('problems');
    expect(compiled(command, 'code').kind).toBe(opensForCode ? 'program' : 'problems');
  });
});

describe('an attacked definition with a list', () => {
  const listed = (command: string, items: 'word' | 'text') =>
    compileCommand(
      command,
      NAMES.map((name) => ({ ...BASE, name, type: 'list', items })),
    );

  test.each([...ATTACKED_COMMANDS])(
    'of words is refused, or takes none of the hostile values as an item: %s',
    (command) => {
      const result = listed(command, 'word');
      if (result.kind === 'problems') return;
      const args: Argument[] = NAMES.map((name) => ({
        ...BASE,
        name,
        type: 'list',
        items: 'word',
        inferred: false,
      }));
      const accepted = HOSTILE_VALUES.filter((value) =>
        isAccepted(result.program, args, JSON.stringify(['fine', value])),
      );
      expect(accepted).toEqual([]);
    },
  );

  test('takes no text where a single text is refused', () => {
    const looser = ATTACKED_COMMANDS.filter(
      (command) =>
        listed(command, 'text').kind === 'program' && compiled(command, 'text').kind === 'problems',
    );
    // A list that is only in the environment is a text there like any other.
    expect(looser).toEqual([]);
  });

  test('keeps every hostile item one whole word, byte for byte', () => {
    const command = './deploy.sh --to {{x}} -- {{y}} end';
    const args: Argument[] = [
      { ...BASE, name: 'x', type: 'list', items: 'text', each: true, allowDash: true, inferred: false },
      { ...BASE, name: 'y', type: 'list', items: 'text', maxItems: 1000, inferred: false },
    ];
    const result = compileCommand(command, args);
    if (result.kind === 'problems') throw new Error(JSON.stringify(result.problems));
    const x = HOSTILE_VALUES.slice(0, 50);
    const given = new Map([
      ['x', JSON.stringify(x)],
      ['y', JSON.stringify(HOSTILE_VALUES)],
    ]);
    const { argv, shell, env } = bind({ program: result.program, args }, given);
    expect(shell).toBe(false);
    expect(argv).toEqual([
      './deploy.sh',
      ...x.flatMap((one) => ['--to', one]),
      '--',
      ...HOSTILE_VALUES,
      'end',
    ]);
    expect(JSON.parse(env.SVC_ARG_Y ?? '')).toEqual([...HOSTILE_VALUES]);
  });
});

/**
 * A value that begins a word before any `--` cannot begin with a dash, whatever its type is (decision 8, leading dash and
 * sizes of values).
 */
const UNDASHED = HOSTILE_VALUES.filter((value) => !value.startsWith('-'));

describe('the plain examples of the specification take any text', () => {
  test.each([
    'echo "Hello, {{x}}"',
    "echo 'Hello, {{x}}!' {{y}}",
    './deploy.sh {{x}}',
    '/opt/app/bin/deploy --to={{x}}',
    'bin/report {{x}} | cat',
    "printf '%s\\n' {{x}}",
    'logger -- {{x}}',
    'grep -c -e {{x}} access.log',
    "jq -n --arg v {{x}} '$v'",
    'python3 report.py {{x}}',
    'git commit -m {{x}}',
    'env',
  ])('%s', (command) => {
    const accepted = acceptedValues(command);
    expect(UNDASHED.filter((value) => !accepted.includes(value))).toEqual([]);
  });
});

test('the 400 names the type, what it accepts and the line that allows more', () => {
  const [endpoint] = endpointsOf(
    'version: 1\nendpoints:\n  - name: restart\n    command: service {{unit}} restart\n    args: [{name: unit}]\n',
  );
  if (endpoint === undefined) throw new Error('no endpoint');
  expect(() => bind(endpoint, new Map([['unit', '../evil']]))).toThrow(
    /"\.\.\/evil" is not a word.*1 to 255 letters, digits.*"type: text"/,
  );
});
