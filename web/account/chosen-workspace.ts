const KEY = 'svc.workspace';

/** The workspace that this tab shows; undefined: the person's own (decision 4, the workspace header). */
export function chosenWorkspace(): string | undefined {
  return sessionStorage.getItem(KEY) ?? undefined;
}

/** Selects a workspace and reloads the dashboard, so that nothing of the previous workspace stays in memory. */
export function chooseWorkspace(username: string | undefined): void {
  if (username === undefined) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, username);
  location.assign('/dashboard');
}

/** The header that names the workspace; every request sends it. */
export function actingHeaders(): Readonly<Record<string, string>> {
  const username = chosenWorkspace();
  return username === undefined ? {} : { 'X-Svc-Workspace': username };
}
