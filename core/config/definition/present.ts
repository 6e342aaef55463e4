/** A copy of a record without the keys whose value is undefined, for types under exactOptionalPropertyTypes. */
export function present<T extends object>(record: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  const entries = Object.entries(record).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Key in keyof T]?: Exclude<T[Key], undefined> };
}
