import type { ReactNode } from 'react';

/** The buttons of a dialog, which stay in sight while its content scrolls. */
export function DialogActions({ children }: { readonly children: ReactNode }) {
  return (
    <div className="sticky -bottom-4 z-10 -mx-4 -mb-4 mt-2 flex flex-wrap justify-between gap-4 rounded-b bg-raised px-4 py-3">
      {children}
    </div>
  );
}
