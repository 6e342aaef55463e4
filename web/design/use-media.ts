import { useSyncExternalStore } from 'react';

/** A screen narrower than `sm:` of the styles. */
export const PHONE = '(max-width: 639px)';

/** Whether the screen matches a media query now; follows each change. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const media = window.matchMedia(query);
      media.addEventListener('change', listener);
      return () => media.removeEventListener('change', listener);
    },
    () => window.matchMedia(query).matches,
  );
}
