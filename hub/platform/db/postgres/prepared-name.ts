const names = new Map<string, string>();

/**
 * The name under which connections keep a text prepared, the same on all of them: planning costs the server more than the
 * work. Only for texts of which there is a fixed number.
 */
export function preparedName(sql: string): string {
  let name = names.get(sql);
  if (name === undefined) {
    name = `svc_${names.size + 1}`;
    names.set(sql, name);
  }
  return name;
}
