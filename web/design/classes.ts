/** Class names, without those that do not apply. */
export function classes(...names: readonly (string | false | undefined)[]): string {
  return names.filter(Boolean).join(' ');
}

/** The width of a page: as wide as its text can be read across, in the middle of a wider screen. */
export const PAGE_WIDTH = 'mx-auto w-full max-w-[1440px] px-4 lg:px-8';

/** A list on a panel. Space parts its rows. */
export const PANEL_LIST = 'rounded bg-raised';
