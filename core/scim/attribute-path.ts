/** The beginning of a full attribute name: `urn:ietf:params:scim:schemas:core:2.0:User:userName`. */
const CORE = /^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/i;

/** The name of an attribute without the schema of this standard before it. Names of extensions stay whole. */
export function withoutSchema(name: string): string {
  return name.replace(CORE, '');
}

/** Names of attributes that differ in case are one attribute (RFC 7643, section 2.1). */
export function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** The value of an attribute whatever the case of its name; of two spellings the first. */
export function attributeOf(resource: object, name: string): unknown {
  const found = Object.entries(resource).find(([key]) => isSameName(withoutSchema(key), name));
  return found?.[1];
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
