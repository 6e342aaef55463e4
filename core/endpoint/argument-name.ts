/** The form of an argument's name (decision 5, placeholders). */
export const ARGUMENT_NAME_PATTERN = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/** Whether a text can be the name of an argument (decision 5, placeholders). */
export function isArgumentName(text: string): boolean {
  return ARGUMENT_NAME_PATTERN.test(text);
}

/** The environment variable that carries an argument: `dry-run` is in `SVC_ARG_DRY_RUN` (decision 5, placeholders). */
export function argumentVariable(name: string): string {
  return `SVC_ARG_${name.toUpperCase().replaceAll('-', '_')}`;
}

/** Two arguments that would have the same variable; `second` is declared later. */
export interface NameCollision {
  readonly first: string;
  readonly second: string;
  readonly variable: string;
}

/** The declared names that collide: equal, or equal as names of variables (decision 5, placeholders). */
export function collidingNames(names: readonly string[]): NameCollision[] {
  const owners = new Map<string, string>();
  const collisions: NameCollision[] = [];
  for (const name of names) {
    const variable = argumentVariable(name);
    const first = owners.get(variable);
    if (first === undefined) owners.set(variable, name);
    else collisions.push({ first, second: name, variable });
  }
  return collisions;
}
