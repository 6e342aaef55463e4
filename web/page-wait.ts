/** How long a page waits for slow data before it is shown without it. */
export const PAGE_WAIT_MS = 800;

/** The same for the first page, Now, whose layout depends on all of its data. */
export const NOW_WAIT_MS = 5_000;
