import { describe, expect, test } from 'bun:test';
import { bind } from '@svc/core/endpoint/bind';
import { withoutAnswerKeys } from '@svc/core/endpoint/managed/decide-endpoint';
import { collectValues } from '@svc/core/endpoint/value/collect-values';
import { readDefinition } from '@svc/core/protocol/definition';
import { Refusal } from '@svc/core/refusal';
import fc from 'fast-check';
import type { WireArgument } from '../wire-endpoint.ts';
import { callChecker, noticesOf, problemsOf } from './check-call.ts';
import {
  earlierValues,
  executionBody,
  fieldOf,
  linesOf,
  listOfLines,
  needsValue,
  withValue,
} from './run-values.ts';

const argument = (name: string, over: Partial<WireArgument> = {}): WireArgument => ({
  name,
  type: 'text',
  inferred: true,
  required: false,
  secret: false,
  allow_dash: false,
  ...over,
});

const DEPLOY = {
  slug: 'deploy',
  command: './deploy.sh {{target}} --count {{count}} --note={{note}} $svc:TOKEN',
  args: [
    argument('target', { required: true, type: 'enum', inferred: false, choices: ['eu', 'us'] }),
    argument('count', { type: 'integer', inferred: false, default: '1' }),
    argument('note', { pattern: '[a-z ]*', max_length: 8 }),
  ],
};

test('a list is one item per line, and the same list in the call', () => {
  const check = callChecker({
    slug: 'pack',
    command: 'tar -czf a.tgz -- {{files}}',
    args: [argument('files', { type: 'list', items: 'word', inferred: false, max_items: 2 })],
  });
  expect(fieldOf(argument('files', { type: 'list' }))).toEqual({ kind: 'list' });
  expect(listOfLines('a\n\nb\n')).toBe('["a","b"]');
  expect(listOfLines('\n')).toBeUndefined();
  expect(linesOf('["a","b"]')).toBe('a\nb');
  const problemOf = (lines: string) =>
    check(new Map([['files', listOfLines(lines) ?? '']])).byArgument.get('files');
  expect(problemOf('a\nb')).toBeUndefined();
  expect(problemOf('a\nb c')).toStartWith('item 2: "b c" is not a word');
  expect(problemOf('a\nb\nc')).toContain('at most 2');
});

describe('the values that a run form accepts', () => {
  const check = callChecker(DEPLOY);
  test.each<[string, Record<string, string>, object]>([
    ['what must be given', { target: 'eu' }, {}],
    ['everything', { target: 'eu', count: '7', note: 'go' }, {}],
    ['nothing', {}, { target: 'it is required' }],
    ['no choice', { target: 'mars' }, { target: '"mars" is not one of eu, us' }],
    ['no integer', { target: 'eu', count: '1.5' }, { count: '"1.5" is not an integer, as in 42' }],
    ['an option', { target: 'eu', count: '-1' }, { count: expect.stringContaining('begins with "-"') }],
    ['no match', { target: 'eu', note: 'GO' }, { note: '"GO" does not match [a-z ]* as a whole' }],
    [
      'too much',
      { target: 'eu', note: 'too long text' },
      { note: '13 characters are too many: at most 8 are accepted' },
    ],
    ['empty text', { target: 'eu', note: '' }, {}],
    ['a megabyte', { target: 'eu', note: 'x'.repeat(70_000) }, { note: expect.stringContaining('bytes') }],
  ])('is checked argument by argument: %s', (_, values, problems) => {
    expect(Object.fromEntries(check(new Map(Object.entries(values))).byArgument)).toEqual({ ...problems });
  });

  test('is what the API accepts, value for value and word for word', () => {
    const read = readDefinition(
      withoutAnswerKeys({ name: DEPLOY.slug, command: DEPLOY.command, args: DEPLOY.args }),
    );
    if (read.kind !== 'endpoint') throw new Error(read.problems.join());
    const value = fc.oneof(
      fc.constantFrom('eu', 'us', '1', '-1', '', 'go', '\0', '\ud800', '--'),
      fc.string(),
    );
    const values = fc.dictionary(fc.constantFrom('target', 'count', 'note', 'other'), value);
    fc.assert(
      fc.property(values, (given) => {
        const problems = check(new Map(Object.entries(given)));
        expect(problems).toEqual(
          outcomeOf(() => bind(read.endpoint, collectValues({ query: [], body: given }), { TOKEN: 'x' })),
        );
      }),
    );
  });

  test('is left to the hub where this page cannot read the command', () => {
    expect(callChecker({ ...DEPLOY, command: 'eval {{target}}' })(new Map()).byArgument.size).toBe(0);
  });

  test('shows a refusal of the hub at the field that it concerns', () => {
    expect(problemsOf({ message: 'no agent', details: {} }).others).toEqual(['no agent']);
    expect(problemsOf({ message: 'too big', details: { argument: 'note' } }).byArgument.get('note')).toBe(
      'too big',
    );
  });
});

function outcomeOf(run: () => unknown) {
  try {
    run();
    return { byArgument: new Map(), others: [] };
  } catch (error) {
    if (error instanceof Refusal) return problemsOf(error);
    throw error;
  }
}

describe('a run form', () => {
  test('asks for each type in its own way', () => {
    expect(fieldOf(argument('a', { type: 'boolean' }))).toEqual({
      kind: 'choice',
      choices: ['true', 'false'],
    });
    expect(fieldOf(argument('a', { type: 'enum', choices: ['x'] }))).toEqual({
      kind: 'choice',
      choices: ['x'],
    });
    expect(fieldOf(argument('a', { type: 'number' }))).toEqual({ kind: 'text', inputMode: 'decimal' });
    expect(fieldOf(argument('a', { type: 'enum', secret: true }))).toEqual({ kind: 'secret' });
    expect(needsValue(argument('a', { required: true }))).toBe(true);
    expect(needsValue(argument('a', { required: true, default: '' }))).toBe(false);
  });

  test('distinguishes an empty value from no value', () => {
    const values = withValue(new Map([['a', '1']]), 'b', '');
    expect(executionBody('x', values)).toEqual({ endpoint: 'x', args: { a: '1', b: '' } });
    expect(executionBody('x', withValue(values, 'b', undefined)).args).toEqual({ a: '1' });
  });

  test('has the values of an earlier run again, but no secret and no removed argument', () => {
    const args = [argument('a'), argument('s', { secret: true })];
    expect([...earlierValues(args, { a: '1', s: null, gone: '2' })]).toEqual([['a', '1']]);
    expect(earlierValues(args, {}).size).toBe(0);
  });
});

test('an argument of type code says loudly that it runs', () => {
  const args = [argument('q', { type: 'code', inferred: false }), argument('note')];
  const notices = noticesOf({ slug: 'x', command: './run.sh {{q}} {{note}}', args });
  expect([...notices]).toEqual([['q', 'Code: whatever you type is run as a program by run.sh.']]);
});
