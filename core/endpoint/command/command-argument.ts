import type { Argument, ArgumentType } from '../definition.ts';

/** The part of an argument's definition that matters to a command line. Without a type, the command decides it. */
export interface CommandArgument
  extends Pick<Argument, 'name' | 'required' | 'default' | 'allowDash' | 'secret'> {
  readonly type: ArgumentType | undefined;
}

const CLOSED: ReadonlySet<ArgumentType | undefined> = new Set(['integer', 'number', 'boolean', 'enum']);

/** Whether every value of the argument is a number, a boolean or one that the owner wrote. */
export function isClosed({ type }: CommandArgument): boolean {
  return CLOSED.has(type);
}
