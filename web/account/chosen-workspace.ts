const KEY = 'svc.workspace';
/** The person chose their own workspace, also if it has no username. */
const OWN = '';

/** The workspace that this tab shows; undefined: the person's own (decision 4, the workspace of a request). */
export function chosenWorkspace(): string | undefined {
  return sessionStorage.getItem(KEY) || undefined;
}

/** Whether a workspace was chosen in this tab, if only the own one. */
export function hasChosenWorkspace(): boolean {
  return sessionStorage.getItem(KEY) !== null;
}

let isChanging = false;

/** A workspace was chosen on this page, and the dashboard is about to load again. */
export function isChangingWorkspace(): boolean {
  return isChanging;
}

/** Selects a workspace and reloads the dashboard, so that nothing of the previous workspace stays in memory. */
export function chooseWorkspace(username: string | undefined, path = ''): void {
  isChanging = true;
  sessionStorage.setItem(KEY, username ?? OWN);
  location.assign(`/dashboard${path}`);
}

/** Selects a workspace and loads the same address again, also one with a hash. */
export function reloadInWorkspace(username: string): void {
  isChanging = true;
  sessionStorage.setItem(KEY, username);
  location.reload();
}

/** Selects the workspace that a link names: `/dashboard?workspace=acme`. */
export function takeLinkedWorkspace(): void {
  const { pathname, search, hash } = location;
  const query = new URLSearchParams(search);
  const username = query.get('workspace');
  if (username === null) return;
  sessionStorage.setItem(KEY, username);
  query.delete('workspace');
  const rest = query.size === 0 ? '' : `?${query}`;
  history.replaceState(history.state, '', `${pathname}${rest}${hash}`);
}

/** The header that names the workspace; every request sends it. */
export function actingHeaders(): Readonly<Record<string, string>> {
  const username = chosenWorkspace();
  return username === undefined ? {} : { 'X-Svc-Workspace': username };
}
