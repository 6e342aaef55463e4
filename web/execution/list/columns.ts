import { useState } from 'react';
import { ALL_COLUMNS, COLUMNS, type Column, storeColumns, storedColumns } from './stored-columns.ts';

/** The columns of the list of executions, and a function that shows or hides one. */
export function useColumns(): readonly [readonly Column[], (column: Column) => void] {
  const [shown, setShown] = useState(storedColumns);
  const toggle = (column: Column) => {
    const next = ALL_COLUMNS.filter((one) => shown.includes(one) !== (one === column));
    storeColumns(next);
    setShown(next);
  };
  return [shown, toggle];
}

/** The columns of the grid of a row: state, name, what is shown, time. */
export function gridOf(columns: readonly Column[]): string {
  return ['8.5rem', 'minmax(0, 1fr)', ...columns.map((column) => COLUMNS[column].width), '6rem'].join(' ');
}
