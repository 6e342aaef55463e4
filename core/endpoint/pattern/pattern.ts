import type { RE2JS } from 're2js';
import { LIMITS } from '../../plan/limits.ts';
import { linearSyntax, NotAPattern } from './linear-syntax.ts';

/** A pattern that is ready to match. */
export interface Pattern {
  readonly kind: 'pattern';
  readonly source: string;
  readonly program: RE2JS;
}

/** Why a text is no pattern; `offset` is in UTF-16 code units of the pattern. */
export interface PatternProblem {
  readonly kind: 'problem';
  readonly offset: number;
  readonly message: string;
}

/**
 * Compiles the regular expression of an argument (decision 9, values of a call): the part of ECMAScript's `u` syntax that
 * matches in linear time.
 *
 * What is accepted means what it means in ECMAScript. Back-references, look-around and flags in groups are refused.
 */
export function parsePattern(text: string): Pattern | PatternProblem {
  if (text.length > LIMITS.patternChars) {
    return { kind: 'problem', offset: 0, message: `a pattern has at most ${LIMITS.patternChars} characters` };
  }
  try {
    return { kind: 'pattern', source: text, program: compile(text) };
  } catch (error) {
    if (error instanceof NotAPattern)
      return { kind: 'problem', offset: error.offset, message: error.message };
    throw error;
  }
}

/** Whether the whole value matches. The time grows with the length of the value alone, for every pattern and every value. */
export function matchesWhole({ program }: Pattern, value: string): boolean {
  return program.testExact(value);
}

function compile(text: string): RE2JS {
  const program = linearProgram(linearSyntax(text));
  if (program.programSize() > LIMITS.patternStates) throw new NotAPattern(0, TOO_LARGE);
  return program;
}

const TOO_LARGE = `the pattern is too large: repeated parts count once for each time, up to ${LIMITS.patternStates}`;

function linearProgram(syntax: string): RE2JS {
  try {
    return re2js().RE2JS.compile(syntax);
  } catch (cause) {
    const reason = (cause as Error).message.replace('error parsing regexp: ', '');
    throw new NotAPattern(0, /repeat|large/.test(reason) ? TOO_LARGE : `no linear time: ${reason}`, {
      cause,
    });
  }
}

/** The engine. It is loaded with the first pattern, because the program starts a tenth faster without it. */
function re2js(): typeof import('re2js') {
  return require('re2js');
}
