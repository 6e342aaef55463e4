import { skipBlanks, skipLines, takeOperator } from './blanks.ts';
import { readCompound } from './compound.ts';
import { readConditional } from './conditional.ts';
import { notUnderstood, peek, type Reader, textSince } from './reader.ts';
import { readRedirect } from './redirect.ts';
import type { Assignment, ShellWord } from './script.ts';
import { readWord } from './word.ts';

/** A command while it is read; its span grows with it, because here-documents already point to it. */
interface CommandDraft {
  readonly start: number;
  end: number;
  readonly assignments: Assignment[];
  readonly words: ShellWord[];
}

/** Reads assignments, words and redirections up to what ends the command; or a function's definition. */
export function readSimpleCommand(reader: Reader): void {
  const command: CommandDraft = { start: reader.at, end: reader.at, assignments: [], words: [] };
  while (readRedirect(reader, command) || readCommandWord(reader, command)) {
    command.end = reader.at;
    skipBlanks(reader);
  }
  if (command.end === command.start) {
    throw notUnderstood(
      reader,
      reader.at,
      `a command is expected${peek(reader) === '' ? '' : ` before ${peek(reader)}`}`,
    );
  }
  if (peek(reader) === '(') readFunction(reader, command);
  else reader.commands.push(command);
}

function readCommandWord(reader: Reader, command: CommandDraft): boolean {
  const start = reader.at;
  const word = readWord(reader);
  if (word === undefined) return false;
  const source = textSince(reader, start);
  if (source === '[[') {
    readConditional(reader, start);
    return true;
  }
  if (command.words.length === 0 && readAssignment(reader, command, word, source)) return true;
  command.words.push(word);
  reader.held.push({ word, canVanish: true });
  return true;
}

const ASSIGNMENT = /^([A-Za-z_][A-Za-z0-9_]*)(\[[^\]]*\])?(\+?)=/;

function readAssignment(reader: Reader, command: CommandDraft, word: ShellWord, source: string): boolean {
  const match = ASSIGNMENT.exec(source);
  if (match === null) return false;
  const [, name = '', subscript, plus] = match;
  if (subscript !== undefined || plus !== '') {
    throw notUnderstood(reader, word.start, 'arrays and += are not known to every /bin/sh');
  }
  reader.isPlain = false;
  command.assignments.push({ name, word });
  reader.settings.push({ name, start: word.start, end: word.end });
  reader.held.push({ word, canVanish: false });
  return true;
}

const FUNCTION_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

function readFunction(reader: Reader, command: CommandDraft): void {
  const name = reader.text.slice(command.start, command.end);
  if (!FUNCTION_NAME.test(name)) throw notUnderstood(reader, reader.at, 'a ( is not expected here: quote it');
  takeOperator(reader, '(');
  skipBlanks(reader);
  if (!takeOperator(reader, ')'))
    throw notUnderstood(reader, command.start, 'only ( ) defines a function; quote the (');
  reader.functions.add(name);
  skipLines(reader);
  if (!readCompound(reader))
    throw notUnderstood(reader, command.start, 'the body of a function is { … } or ( … )');
}
