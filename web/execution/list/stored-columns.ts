/** The columns that a person can show or hide, in their order. The widths are those of a grid. */
export const COLUMNS = {
  trigger: { label: 'Trigger', width: '7rem' },
  caller: { label: 'Caller', width: 'minmax(6rem, 14rem)' },
  args: { label: 'Arguments', width: 'minmax(6rem, 18rem)' },
  agent: { label: 'Agent', width: '8rem' },
  version: { label: 'Version', width: '4.5rem' },
  exit: { label: 'Exit code', width: '5rem' },
  duration: { label: 'Duration', width: '6rem' },
} as const satisfies Readonly<Record<string, { readonly label: string; readonly width: string }>>;

export type Column = keyof typeof COLUMNS;

export const ALL_COLUMNS = Object.keys(COLUMNS) as Column[];
export const DEFAULT_COLUMNS: readonly Column[] = ['trigger', 'exit', 'duration'];
const KEY = 'svc.executions.columns';

/** The columns of the list of executions, as this browser stores them. */
export function storedColumns(): readonly Column[] {
  return readColumns(localStorage.getItem(KEY));
}

export function storeColumns(columns: readonly Column[]): void {
  localStorage.setItem(KEY, columns.join(','));
}

/** The columns in a stored text; those of a later version are ignored. */
function readColumns(stored: string | null): readonly Column[] {
  if (stored === null) return DEFAULT_COLUMNS;
  const names = stored.split(',');
  return ALL_COLUMNS.filter((column) => names.includes(column));
}
