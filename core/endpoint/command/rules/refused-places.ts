import type { RefusedPlace } from '../shell/script.ts';
import type { Reason } from './walk.ts';

/** What is said of a value in each place where none may stand, whatever the words around it (decision 7). */
export const WHY_REFUSED: Readonly<Record<RefusedPlace, Reason>> = {
  substitution: (use) =>
    `${use.shown} stands inside $( ), whose text is a command of its own: write "$${use.variable}" there`,
  backquotes: (use) =>
    `${use.shown} stands inside backquotes, whose text is a command of its own: write "$${use.variable}" there`,
  arithmetic: (use) =>
    `${use.shown} stands inside $(( )), which runs what its operands contain: ` +
    `declare the argument as "type: integer" and write ${use.variable} there, or compute in a script`,
  conditional: (use) =>
    `${use.shown} stands inside [[ ]], which evaluates its operands: use [ ] with the value as an operand of its own`,
  'here-document': (use) =>
    `${use.shown} stands inside a here-document: write $${use.variable} there, with a delimiter that is not quoted, or pipe it in: printf '%s' ${use.shown} | …`,
  delimiter: (use) => `${use.shown} stands as the delimiter of a here-document: write a fixed word`,
  parameter: (use) =>
    `${use.shown} stands inside \${ }, which shells read in different ways: set a variable first (name=${use.shown}), or give the argument a default`,
  backslash: (use) =>
    `${use.shown} stands directly after a backslash, which would change its meaning: end the quotes before it, as in '\\'${use.shown}`,
  dollar: (use) =>
    `${use.shown} stands directly after $, which would change its meaning: put the $ into single quotes, as in '$'${use.shown}`,
};

/** Why no value may stand behind `>&` and `<&`: bash expands that word twice, so `$(…)` in a value would run. */
export const whyDescriptor: Reason = (use) =>
  `${use.shown} stands behind >& or <&, where bash reads it twice: write the number, or use > FILE 2>&1`;

/** Why no value may stand where a shell computes with it. */
export const whyEvaluated: Reason = (use) =>
  `${use.shown} is evaluated here, which runs what its value contains: ` +
  'declare the argument as "type: integer", or compute in a script';
