import type { ReactNode } from 'react';
import { Disclosure } from './Disclosure.tsx';
import { PHONE, useMedia } from './use-media.ts';

interface FoldedOnPhoneProps {
  readonly summary: string;
  readonly children: ReactNode;
}

/** Charts and filters above a list. On a phone they are folded, so that the first screen shows the list. */
export function FoldedOnPhone({ summary, children }: FoldedOnPhoneProps) {
  const isPhone = useMedia(PHONE);
  if (!isPhone) return children;
  return (
    <Disclosure summary={summary}>
      <div className="flex flex-col gap-6">{children}</div>
    </Disclosure>
  );
}
