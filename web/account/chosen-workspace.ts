const KEY = 'svc.workspace';

/** The workspace that this tab looks at, when it is not the own (decision 4). */
export function chosenWorkspace(): string | undefined {
  return sessionStorage.getItem(KEY) ?? undefined;
}

/** Another workspace is another dashboard: it begins anew. */
export function chooseWorkspace(username: string | undefined): void {
  if (username === undefined) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, username);
  location.assign('/dashboard');
}

/** With every request. */
export function actingHeaders(): Readonly<Record<string, string>> {
  const username = chosenWorkspace();
  return username === undefined ? {} : { 'X-Svc-Workspace': username };
}
