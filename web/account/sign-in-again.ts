import { chooseWorkspace, chosenWorkspace, isChangingWorkspace } from './chosen-workspace.ts';

/** The session has ended: opens the sign-in, which leads back to this address in this workspace. */
export function signInAgain(): void {
  location.assign(`/login?to=${encodeURIComponent(addressIn(chosenWorkspace(), location))}`);
}

/** Leaves a workspace that refuses the person, as one that they are no longer a member of does. */
export function leaveWorkspace(): void {
  // Requests are refused side by side: the first one has left the workspace already.
  if (isChangingWorkspace()) return;
  if (chosenWorkspace() === undefined) signInAgain();
  else chooseWorkspace(undefined);
}

/** The address with its workspace: a sign-in link in a mail may open it in another tab, where no workspace is selected. */
export function addressIn(
  workspace: string | undefined,
  { pathname, search, hash }: Pick<Location, 'pathname' | 'search' | 'hash'>,
): string {
  if (workspace === undefined) return `${pathname}${search}${hash}`;
  return `${pathname}${search}${search === '' ? '?' : '&'}workspace=${encodeURIComponent(workspace)}${hash}`;
}
