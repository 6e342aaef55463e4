import { expect, test } from 'bun:test';
import { compileCommand } from './command/compile-command.ts';
import { codeNotices, placeText, unknownTexts, valueRoutes } from './explain.ts';

const argument = { name: 'x', required: true, inferred: false, secret: false, allowDash: false } as const;

test('a place is described in plain words', () => {
  expect(placeText({ kind: 'argument', position: 2, program: 'psql' })).toBe('argument 2 of psql');
  expect(placeText({ kind: 'environment', variable: 'SVC_ARG_X' })).toBe(
    'the environment variable SVC_ARG_X',
  );
  expect(placeText({ kind: 'redirect', shown: '> {{x}}' })).toBe('redirect > {{x}}');
});

test('only code is announced as a program', () => {
  const command = './run.sh {{x}}';
  expect(codeNotices({ command, args: [{ ...argument, type: 'text' }] })).toEqual([]);
  expect(codeNotices({ command, args: [{ ...argument, type: 'code' }] })).toEqual([
    { argument: 'x', message: expect.stringMatching(/^Code: whatever you type is run as a program/) },
  ]);
});

test('the notice of code names each program that runs it', () => {
  const command = 'psql -c {{x}}; sqlite3 app.db {{x}}';
  expect(codeNotices({ command, args: [{ ...argument, type: 'code' }] })).toEqual([
    { argument: 'x', message: 'Code: whatever you type is run as a program by psql and sqlite3.' },
  ]);
});

test('a text is listed where it reaches a program that may not take it as data', () => {
  const command = 'echo {{x}}; ls -- {{x}}; ./own.sh {{x}}';
  expect(unknownTexts({ command, args: [{ ...argument, type: 'text' }] })).toEqual([
    { argument: 'x', place: { kind: 'argument', position: 2, program: 'ls' }, known: false },
  ]);
  expect(unknownTexts({ command, args: [{ ...argument, type: 'word' }] })).toEqual([]);
});

test.each([
  'echo {{x}}',
  'ls {{x}}',
  'make TAG={{x}} all > out.txt',
  'v={{x}}; for w in "$v"; do ls -- "$w"; done | tee log.txt',
  'ssh {{x}} uptime',
  '[ -f {{x}} ] && cat < {{x}}',
  'true',
])('an inferred type changes nothing about the way of a value: %s', (command) => {
  const { type: _, ...untyped } = { ...argument, type: 'text' };
  const compiled = compileCommand(command, [{ ...untyped, type: undefined }]);
  if (compiled.kind === 'problems') throw new Error('refused');
  const type = compiled.types.get('x') ?? 'code';
  expect(valueRoutes({ command, args: [{ ...argument, inferred: true, type }] })).toEqual(compiled.travel);
});
