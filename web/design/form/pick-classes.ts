/** The list under a field to pick from. */
export const POPUP =
  'max-h-80 min-w-(--anchor-width) overflow-y-auto rounded border border-line bg-raised py-1 shadow-float empty:hidden data-empty:hidden';

/** An item of such a list. */
export const ITEM =
  'flex min-h-8 cursor-pointer items-center gap-2 px-2 outline-none data-highlighted:bg-accent-wash pointer-coarse:min-h-11';
