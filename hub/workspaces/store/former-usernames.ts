/** The former usernames in a row of a workspace, which holds a JSON array. */
export function formerUsernamesIn(json: string | null): readonly string[] | undefined {
  return json === null ? undefined : (JSON.parse(json) as string[]);
}

/** The array for the row; the rows that were never changed hold null. */
export function formerUsernamesJson(names: readonly string[] | undefined): string | null {
  return names === undefined ? null : JSON.stringify(names);
}
