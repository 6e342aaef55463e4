import { chooseWorkspace, chosenWorkspace } from './chosen-workspace.ts';

/** Leaves a workspace that the person is no longer a member of; otherwise the session has ended, and the sign-in page opens. */
export function signInAgain(): void {
  if (chosenWorkspace() !== undefined) chooseWorkspace(undefined);
  else {
    const { pathname, search, hash } = location;
    location.assign(`/login?to=${encodeURIComponent(`${pathname}${search}${hash}`)}`);
  }
}
