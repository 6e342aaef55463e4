import { forgetDrafts } from '../design/form/use-kept-draft.ts';

/** After a sign-out: removes the drafts of this tab, and opens the page to sign in. */
export function leave(): void {
  forgetDrafts();
  location.assign('/login');
}
