/** The mark of svc, as in the tab of the browser. */
export function Logo() {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true" className="size-5 shrink-0">
      <rect width="16" height="16" rx="3" className="fill-accent" />
      <path
        d="m4 4.5 3.5 3.5L4 11.5M8.5 11.5H12"
        fill="none"
        strokeWidth="1.75"
        className="stroke-on-accent"
      />
    </svg>
  );
}
