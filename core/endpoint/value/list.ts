import { JsonCursor } from '../../api/json/json-cursor.ts';
import { Refusal } from '../../refusal.ts';
import type { Argument } from '../definition.ts';

/** Each list has one item argument, because patterns are compiled once for each argument. */
const known = new WeakMap<Argument, Argument>();

/** The argument that each item of a list is checked as (decision 67, lists and JSON values). */
export function itemArgument(list: Argument): Argument {
  const before = known.get(list);
  if (before !== undefined) return before;
  const { default: _default, ...rules } = list;
  const item: Argument = { ...rules, type: list.items ?? 'word' };
  known.set(list, item);
  return item;
}

/**
 * The items of a list from its text, or why the text is no list, as a clause. A text that begins with `[` is JSON: strings,
 * numbers as they are written, and booleans. Any other text is a list of that one item.
 */
export function readList(text: string): { readonly items: readonly string[] } | { readonly problem: string } {
  if (!text.startsWith('[')) return { items: [text] };
  try {
    return { items: readItems(new JsonCursor(text, 'a list')) };
  } catch (error) {
    if (error instanceof Refusal)
      return { problem: 'the value begins with "[" and is no JSON list of texts, numbers and booleans' };
    throw error;
  }
}

function readItems(cursor: JsonCursor): string[] {
  cursor.skip('[');
  if (cursor.skip(']')) return endOf(cursor, []);
  const items: string[] = [];
  do {
    const word = cursor.string() ?? cursor.word() ?? cursor.number();
    if (word === undefined || word === null) cursor.fail('a text, a number, true or false expected');
    items.push(String(word));
  } while (cursor.skip(','));
  if (!cursor.skip(']')) cursor.fail('"," or "]" expected');
  return endOf(cursor, items);
}

function endOf(cursor: JsonCursor, items: string[]): string[] {
  if (!cursor.isAtEnd()) cursor.fail('nothing more expected after the list');
  return items;
}

/** The items of a value that was accepted, or that `listText` made. */
export function listItems(text: string): readonly string[] {
  const read = readList(text);
  return 'items' in read ? read.items : [];
}

/** The one text of a list: the JSON text of its items. It is what `SVC_ARG_…` holds and what records keep. */
export function listText(items: readonly string[]): string {
  return JSON.stringify(items);
}
