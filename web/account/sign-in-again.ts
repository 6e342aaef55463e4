import { chooseWorkspace, chosenWorkspace } from './chosen-workspace.ts';

/** The session is over, or its person is no member of the workspace any more: then the own one is there. */
export function signInAgain(): void {
  if (chosenWorkspace() !== undefined) chooseWorkspace(undefined);
  else location.assign(`/login?to=${encodeURIComponent(location.pathname)}`);
}
