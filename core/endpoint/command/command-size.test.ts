import { describe, expect, test } from 'bun:test';
import { LIMITS } from '../../plan/limits.ts';
import { TEST_ARGUMENTS } from '../fixtures/command-arguments.ts';
import { compileCommand } from './compile-command.ts';

const args = TEST_ARGUMENTS;

describe('a text that is nested deeper than any stack', () => {
  const openings = ['$(', '"$(', '${a:-', '"${a:-', '$((', '{ ', '(', '`', 'if ', 'while ', 'f() { '];
  for (const opening of [...openings, 'case a in b) ', 'for i in a; do ']) {
    const text = opening.repeat(Math.floor(LIMITS.commandChars / opening.length) - 10);

    test(`${opening}… without a value is the shell's own affair`, () => {
      expect(compileCommand(text, args).kind).toBe('program');
    });

    test(`${opening}… with a value is refused`, () => {
      expect(compileCommand(`echo {{x}}; ${text}`, args).kind).toBe('problems');
    });
  }
});

describe('a command has at most', () => {
  test(`${LIMITS.commandChars} characters`, () => {
    const longest = `echo ${'a'.repeat(LIMITS.commandChars - 5)}`;
    expect(compileCommand(longest, args).kind).toBe('program');
    expect(compileCommand(`${longest}a`, args)).toEqual({
      kind: 'problems',
      problems: [
        { offset: LIMITS.commandChars, length: 1, message: expect.stringContaining('into a script') },
      ],
    });
  });

  test(`${LIMITS.commandWords} words where a value is one of them`, () => {
    const most = `echo {{x}}${' a'.repeat(LIMITS.commandWords - 2)}`;
    expect(compileCommand(most, args).kind).toBe('program');
    expect(compileCommand(`${most} a`, args)).toEqual({
      kind: 'problems',
      problems: [{ offset: most.length + 1, length: 1, message: expect.stringContaining('2000 words') }],
    });
    expect(compileCommand(`echo${' a'.repeat(LIMITS.commandWords)}`, args).kind).toBe('program');
  });

  test(`${LIMITS.commandValues} values`, () => {
    const most = `echo${' {{x}}'.repeat(LIMITS.commandValues)}`;
    expect(compileCommand(most, args).kind).toBe('program');
    expect(compileCommand(`${most} {{x}}`, args)).toEqual({
      kind: 'problems',
      problems: [{ offset: most.length + 1, length: 1, message: expect.stringContaining('200 values') }],
    });
  });
});
