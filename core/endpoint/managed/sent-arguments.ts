import { isMapping } from '../../config/definition/sound-parts.ts';

/**
 * Fields without what only answers say about arguments: what `GET /endpoints/{slug}` gave can be sent back as it is. A type
 * that was inferred is inferred again.
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
