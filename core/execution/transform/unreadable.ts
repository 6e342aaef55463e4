/**
 * The output is not what `parse` says it is. `message` names the place and what was expected.
 *
 * Parsers throw it from wherever they are in the text; `parseOutput` catches it, and nobody else sees it.
 */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}
