import type { CommandArgument } from './rules/command-argument.ts';

const argument = (name: string, more: Partial<CommandArgument> = {}): CommandArgument => ({
  name,
  required: true,
  type: 'string',
  allowDash: false,
  secret: false,
  ...more,
});

/** The arguments that tests of commands declare: `x y`, `o` optional, `n` an integer, `d` may begin with a dash, `s` secret. */
export const TEST_ARGUMENTS: readonly CommandArgument[] = [
  argument('x'),
  argument('y'),
  argument('o', { required: false }),
  argument('n', { type: 'integer' }),
  argument('d', { allowDash: true }),
  argument('s', { secret: true }),
];
