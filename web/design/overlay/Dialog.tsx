import { lazy, Suspense, useState } from 'react';
import type { DialogProps } from './DialogBox.tsx';

/** Nobody opens one before the page is there: it is loaded with the first. */
const DialogBox = lazy(async () => ({ default: (await import('./DialogBox.tsx')).DialogBox }));

/** Floats over the page until it is answered or left; Escape leaves it, and focus goes back to where it was. */
export function Dialog(props: DialogProps) {
  const [wasOpened, setWasOpened] = useState(props.isOpen);
  if (props.isOpen && !wasOpened) setWasOpened(true);
  return <Suspense>{wasOpened && <DialogBox {...props} />}</Suspense>;
}
