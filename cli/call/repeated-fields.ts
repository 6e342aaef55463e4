import type { Field, Fields } from '../resource/fields.ts';

/**
 * Joins fields of one name into a JSON list, so that `file=a file=b` is `file:='["a","b"]'` (decision 67, lists and JSON values).
 * The service refuses a list where the argument is none.
 */
export function joinRepeated({ fields, ...rest }: Fields): Fields {
  const byName = new Map<string, Field[]>();
  for (const field of fields) byName.set(field.name, [...(byName.get(field.name) ?? []), field]);
  const joined = [...byName].map(([name, [first, ...others]]): Field => {
    const texts = [first, ...others].flatMap((field) => field?.json.trim() ?? []);
    return { name, json: others.length === 0 ? (texts[0] ?? '') : `[${texts.join(',')}]` };
  });
  return { ...rest, fields: joined };
}
