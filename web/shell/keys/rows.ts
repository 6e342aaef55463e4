const REACHABLE = 'a[href], button:not([disabled]), [tabindex="0"]';

/** Focus goes to the next row of a list (`data-row`), or back; from elsewhere to the first one in sight. */
export function goToRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')];
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const next = at < 0 ? rows.find(isInSight) : rows[at + step];
  const target = next?.querySelector<HTMLElement>(REACHABLE);
  target?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

/** Presses what has this key (`data-key`) in the row with the focus, else in the first row in sight that has it. */
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
