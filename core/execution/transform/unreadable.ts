/**
 * The output is not what `parse` says it is. `message` names the place and what was expected.
 *
 * Parsers throw it from wherever they are in the text; only `parseOutput` catches it.
 */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}
