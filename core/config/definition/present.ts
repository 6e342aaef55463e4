/** A record without the keys whose value is undefined: an absent key is absent, as exactOptionalPropertyTypes wants it. */
export function present<T extends object>(record: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  const entries = Object.entries(record).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Key in keyof T]?: Exclude<T[Key], undefined> };
}
