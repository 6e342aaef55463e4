const REACHABLE = 'a[href], button:not([disabled]), [tabindex="0"]';

/** Moves the focus to the next or previous row of a list (`data-row`); from outside the list to the first visible row. */
export function goToRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')];
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const next = at < 0 ? rows.find(isInSight) : rows[at + step];
  const target = next?.querySelector<HTMLElement>(REACHABLE);
  target?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

/** Clicks the button with this shortcut (`data-key`) in the focused row, else the first one in sight. */
export function pressInRow(key: string): boolean {
  const buttons = [
    ...document.querySelectorAll<HTMLElement>(`main [data-row] [data-key="${CSS.escape(key)}"]`),
  ];
  const row = document.activeElement?.closest('[data-row]');
  const button = buttons.find((one) => row?.contains(one)) ?? buttons.find(isInSight);
  button?.focus();
  button?.click();
  return button !== undefined;
}

function isInSight(row: HTMLElement): boolean {
  const { top, bottom } = row.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
}
