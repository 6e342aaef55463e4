import { isMapping } from '../../config/definition/sound-parts.ts';

/**
 * Removes the keys of arguments that only answers contain, so that a client can send back the answer of `GET
 * /endpoints/{slug}`. An inferred type is inferred again.
 */
export function withoutAnswerKeys<Fields extends Readonly<Record<string, unknown>>>(fields: Fields): Fields {
  const { args } = fields;
  return Array.isArray(args) ? { ...fields, args: args.map(definitionPart) } : fields;
}

function definitionPart(item: unknown): unknown {
  if (!isMapping(item)) return item;
  const { inferred, accepts: _accepts, ...rest } = item;
  if (inferred !== true) return rest;
  const { type: _type, ...untyped } = rest;
  return untyped;
}
