import { describe, expect, test } from 'bun:test';
import { Refusal } from '../refusal.ts';
import { bind } from './bind.ts';
import { compileCommand } from './command/compile-command.ts';
import type { Argument, Endpoint } from './definition.ts';
import { defaultDashProblems } from './value/leading-dash.ts';
import { matchValues } from './value/resolve-values.ts';

type More = Partial<Omit<Argument, 'name'>>;

const argument = (name: string, more: More = {}): Argument => ({
  name,
  required: false,
  type: 'text',
  inferred: false,
  secret: false,
  allowDash: false,
  ...more,
});

function endpoint(
  command: string,
  args: Readonly<Record<string, More>> = {},
): Pick<Endpoint, 'program' | 'args'> {
  const list = Object.entries(args).map(([name, more]) => argument(name, more));
  const compiled = compileCommand(command, list);
  if (compiled.kind === 'problems')
    throw new Error(compiled.problems.map((problem) => problem.message).join());
  return { program: compiled.program, args: list };
}

const given = (values: Readonly<Record<string, string>> = {}) => new Map(Object.entries(values));

function refusal(run: () => unknown): Refusal {
  try {
    run();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('argv mode', () => {
  test('a value is always inside one word, whatever is in it', () => {
    const { argv, shell } = bind(
      endpoint("git log '--author={{who}}' -- {{file}}", { who: {}, file: {} }),
      given({ who: '$(id) "x"', file: '*; ls' }),
    );
    expect(argv).toEqual(['git', 'log', '--author=$(id) "x"', '--', '*; ls']);
    expect(shell).toBe(false);
  });

  test('a placeholder in a value is text', () => {
    expect(
      bind(endpoint('echo {{a}} {{b}}', { a: {}, b: {} }), given({ a: '{{b}}', b: '$svc:X' })).argv,
    ).toEqual(['echo', '{{b}}', '$svc:X']);
  });

  test('a word that is only an absent placeholder disappears; a quoted or longer one stays', () => {
    const command = 'echo {{a}} "{{a}}" x{{a}} {{a}}{{b}} end';
    expect(bind(endpoint(command, { a: {}, b: {} }), given()).argv).toEqual(['echo', '', 'x', '', 'end']);
    expect(bind(endpoint(command, { a: {}, b: {} }), given({ a: '' })).argv).toEqual([
      'echo',
      '',
      '',
      'x',
      '',
      'end',
    ]);
  });

  test('defaults are filled in, also for what is required', () => {
    const target = endpoint('echo {{a}} {{b}}', { a: { default: '1' }, b: { default: '2', required: true } });
    expect(bind(target, given({ a: '3' })).argv).toEqual(['echo', '3', '2']);
  });

  test('secrets are where the command names them and not in the environment', () => {
    const bound = bind(endpoint('curl -H "X: $svc:TOKEN"'), given(), { TOKEN: 's3cret', OTHER: 'x' });
    expect(bound).toEqual({ argv: ['curl', '-H', 'X: s3cret'], shell: false, env: {}, masks: ['s3cret'] });
  });
});

describe('shell mode', () => {
  test('the text holds no value; the environment does', () => {
    const bound = bind(
      endpoint('echo {{a}} | tr a b', { a: { required: true }, 'dry-run': {} }),
      given({ a: '$(id)', 'dry-run': 'yes' }),
    );
    expect(bound.argv).toEqual(['/bin/sh', '-c', 'echo "${SVC_ARG_A}" | tr a b']);
    expect(bound).toMatchObject({ shell: true, env: { SVC_ARG_A: '$(id)', SVC_ARG_DRY_RUN: 'yes' } });
  });

  test('absent arguments are in no variable, secrets only when the command names them', () => {
    const bound = bind(endpoint('echo {{a}} $svc:ONE | cat', { a: {}, b: {} }), given(), {
      ONE: '1',
      TWO: '2',
    });
    expect(bound.env).toEqual({ SVC_SECRET_ONE: '1' });
    expect(bound.argv[2]).toBe('echo ${SVC_ARG_A+"${SVC_ARG_A}"} "${SVC_SECRET_ONE}" | cat');
  });
});

describe('values that are refused', () => {
  test('all problems are in one refusal, by argument', () => {
    const target = endpoint('echo {{branch}} {{count}} {{file}}', {
      branch: { required: true },
      count: { type: 'integer' },
      file: {},
    });
    const refused = refusal(() => bind(target, given({ brnach: 'x', zzz: '', count: 'two', file: '-rf' })));
    expect(refused.code).toBe('invalid_argument');
    expect(refused.details).toEqual({
      argument: 'brnach',
      problems: [
        { argument: 'brnach', message: 'there is no argument of this name; did you mean "branch"?' },
        { argument: 'zzz', message: 'there is no argument of this name; there are branch, count, file' },
        { argument: 'branch', message: 'it is required' },
        { argument: 'count', message: '"two" is not an integer, as in 42' },
        { argument: 'file', message: expect.stringContaining('begins with "-"') },
      ],
    });
    expect(refused.message).toStartWith(
      'argument "brnach": there is no argument of this name; did you mean "branch"?; ',
    );
  });

  test('an endpoint without arguments refuses any', () => {
    expect(refusal(() => bind(endpoint('ls'), given({ a: '1' }))).message).toBe(
      'argument "a": this endpoint takes no arguments',
    );
  });

  test.each([
    ['a value', { a: 'é'.repeat(32_769) }],
    ['all values together', { a: 'x'.repeat(65_536), b: 'x'.repeat(65_536), c: 'x' }],
  ])('%s too large', (_, values) => {
    const target = endpoint('echo', { a: {}, b: {}, c: {} });
    expect(refusal(() => bind(target, given(values))).code).toBe('payload_too_large');
  });

  test('values of exactly the largest size are bound', () => {
    const target = endpoint('echo', { a: {}, b: {} });
    expect(bind(target, given({ a: 'x'.repeat(65_536), b: 'é'.repeat(32_768) })).argv).toEqual(['echo']);
  });

  test('a word that no program could be given', () => {
    const value = 'x'.repeat(65_536);
    expect(bind(endpoint('echo {{a}}{{a}}', { a: {} }), given({ a: value.slice(1) })).argv).toHaveLength(2);
    expect(refusal(() => bind(endpoint('echo {{a}}{{a}}', { a: {} }), given({ a: value }))).code).toBe(
      'payload_too_large',
    );
  });

  test('a secret that is not there', () => {
    const refused = refusal(() => bind(endpoint('echo $svc:A $svc:constructor'), given(), { A: '' }));
    expect(refused).toMatchObject({ code: 'secret_not_set', details: { secrets: ['constructor'] } });
  });
});

describe('a leading dash', () => {
  const dashed = (
    command: string,
    args: Readonly<Record<string, More>>,
    values: Readonly<Record<string, string>>,
  ) => {
    try {
      bind(endpoint(command, args), given(values), { S: '-s', E: '' });
      return [];
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return (error.details.problems as { argument: string }[]).map((problem) => problem.argument);
    }
  };

  test.each<[string, string[]]>([
    ['ls {{a}}', ['a']],
    ['ls "{{a}}"', ['a']],
    ['ls {{a}}x', ['a']],
    ['ls {{e}}{{a}}', ['a']],
    ['ls ""{{a}}', ['a']],
    ['ls $svc:E{{a}}', ['a']],
    ['ls x{{a}}', []],
    ['ls -x{{a}}', []],
    ['ls -- {{a}}', []],
    ["ls '--' {{a}}", []],
    ['ls {{a}} --', ['a']],
    ['ls -- x; ls {{a}}', ['a']],
    ['sudo -- ls {{a}}', ['a']],
    ['sudo -- ls -- {{a}}', []],
    ['sudo -u root ls {{a}} | cat', ['a']],
    ['ls {{a}} | cat', ['a']],
    ["ls '{{a}}' | cat", ['a']],
    ['ls -- "{{a}}" | cat -- {{a}}', []],
    ['ls "$X{{a}}"', ['a']],
    ['for i in {{a}}; do ls -- "$i"; done', ['a']],
    ['ls $svc:S', []],
    ['ls {{ok}}', []],
    ['ls {{ok}}{{a}}', []],
  ])('%s', (command, refused) => {
    const args = { a: {}, e: {}, ok: { allowDash: true } };
    expect(dashed(command, args, { a: '-la', e: '', ok: '-x' })).toEqual(refused);
  });

  test('is found in defaults when a definition is loaded', () => {
    const { program, args } = endpoint('ls {{a}} {{b}}', { a: { default: '-l' }, b: { default: 'x' } });
    expect(defaultDashProblems(program, args).map((problem) => problem.argument)).toEqual(['a']);
  });
});

test('values can be resolved without a command', () => {
  const args = [argument('a', { default: '1' }), argument('b'), argument('c', { type: 'boolean' })];
  const { values, problems } = matchValues(args, given({ c: 'true' }));
  expect([[...values], problems]).toEqual([
    [
      ['a', '1'],
      ['c', 'true'],
    ],
    [],
  ]);
  expect(matchValues(args, given({ c: 'yes' })).problems).toMatchObject([{ argument: 'c' }]);
});
