import type { Argument } from '../../definition.ts';

/** The part of an argument's definition that matters to a command line. */
export type CommandArgument = Pick<
  Argument,
  'name' | 'required' | 'default' | 'type' | 'allowDash' | 'secret'
>;

/** Types whose values are written by the endpoint's owner, or have no letters to write a program with. */
const HARMLESS_TYPES: ReadonlySet<string> = new Set(['integer', 'number', 'boolean', 'enum']);

/** Whether no value of the argument can be a program that its owner did not write. */
export function isHarmless(argument: CommandArgument): boolean {
  return HARMLESS_TYPES.has(argument.type);
}
