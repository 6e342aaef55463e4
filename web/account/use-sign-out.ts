import { useRef } from 'react';
import { useAction } from '../api/use-action.ts';
import { keptSettings } from './kept-settings.ts';

/**
 * Ends the session of this browser. The response clears what the pages of the hub have stored in all tabs (`Clear-Site-Data`); the settings
 * that may stay are stored again (decision 117, what a sign-out keeps).
 */
export function useSignOut(route: 'signOut' | 'signOutEverywhere') {
  const kept = useRef<ReturnType<typeof keptSettings>>([]);
  const { mutate, isPending } = useAction(route, {
    onDone() {
      // For browsers that ignore the header.
      sessionStorage.clear();
      localStorage.clear();
      for (const [key, value] of kept.current) localStorage.setItem(key, value);
      location.assign('/login');
    },
  });
  return {
    isPending,
    signOut() {
      kept.current = keptSettings(localStorage);
      mutate(undefined);
    },
  };
}
