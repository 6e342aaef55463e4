import { Suspense, useState } from 'react';
import { lazyPart } from '../../api/live/load-part.ts';
import type { DialogProps } from './DialogBox.tsx';

/** Loaded when the first dialog opens. */
const DialogBox = lazyPart(async () => (await import('./DialogBox.tsx')).DialogBox);

/** A modal dialog. Escape closes it, and the focus returns to where it was. */
export function Dialog(props: DialogProps) {
  const [wasOpened, setWasOpened] = useState(props.isOpen);
  if (props.isOpen && !wasOpened) setWasOpened(true);
  return <Suspense>{wasOpened && <DialogBox {...props} />}</Suspense>;
}
