/** The former usernames in the JSON array of a workspace row. */
export function formerUsernamesIn(json: string | null): readonly string[] | undefined {
  return json === null ? undefined : (JSON.parse(json) as string[]);
}

/** The array for the row; null for a workspace that never changed its username. */
export function formerUsernamesJson(names: readonly string[] | undefined): string | null {
  return names === undefined ? null : JSON.stringify(names);
}
