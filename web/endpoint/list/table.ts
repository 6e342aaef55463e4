/** The columns of the table of endpoints; a phone has star, state, name, last run and Run, a wide screen the command, too. */
export const TABLE =
  'grid items-center gap-x-3 grid-cols-[1.25rem_1rem_minmax(0,1fr)_auto_2.5rem] ' +
  'md:grid-cols-[1.25rem_1rem_minmax(0,1fr)_149px_4.5rem_5rem_6rem_2.5rem] ' +
  'xl:grid-cols-[1.25rem_1rem_minmax(0,1fr)_149px_4.5rem_5rem_6rem_9rem_2.5rem] ' +
  '2xl:grid-cols-[1.25rem_1rem_minmax(0,1fr)_minmax(0,0.9fr)_149px_4.5rem_5rem_6rem_9rem_2.5rem]';
