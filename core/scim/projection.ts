import { withoutSchema } from './attribute-path.ts';

/** The attributes that a request asks for, or asks to leave out. */
export interface Projection {
  readonly attributes?: string | undefined;
  readonly excludedAttributes?: string | undefined;
}

/** These are always there (RFC 7643, sections 3 and 7). */
const ALWAYS = ['schemas', 'id'];

/** Whether a resource is to be answered with this attribute (RFC 7644, section 3.9). */
export function hasAttribute({ attributes, excludedAttributes }: Projection, name: string): boolean {
  const wanted = names(attributes);
  if (ALWAYS.includes(name)) return true;
  if (wanted.length > 0) return wanted.includes(name.toLowerCase());
  return !names(excludedAttributes).includes(name.toLowerCase());
}

/** The resource with the attributes that the request asks for. A request for a part of an attribute gets the whole attribute. */
export function projected<Resource extends object>(
  resource: Resource,
  projection: Projection,
): Partial<Resource> {
  const kept = Object.entries(resource).filter(([name]) => hasAttribute(projection, name));
  return Object.fromEntries(kept) as Partial<Resource>;
}

function names(list = ''): string[] {
  return list
    .split(',')
    .map((name) => withoutSchema(name.trim()).split('.')[0]?.toLowerCase() ?? '')
    .filter((name) => name !== '');
}
