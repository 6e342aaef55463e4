import { type KeyboardEvent, type ReactNode, type RefObject, Suspense, useRef, useState } from 'react';

/** Where a menu belongs, and how it is left. */
export interface OpenMenu {
  readonly anchor: RefObject<HTMLButtonElement | null>;
  /** The name of the menu: that of its button. */
  readonly label: string;
  /** Whether keys have opened it: then they are on its first item. */
  readonly isByKeys: boolean;
  readonly onClose: () => void;
}

interface MenuButtonProps {
  readonly label: string;
  readonly className: string;
  /** What is on the button. */
  readonly children: ReactNode;
  /** The menu, a `<MenuPopup>`: loaded when it is opened, since nobody does that before the page is there. */
  readonly menu: (open: OpenMenu) => ReactNode;
}

/** A button that opens a menu: with the pointer, with Enter or Space, or with an arrow. */
export function MenuButton({ label, className, children, menu }: MenuButtonProps) {
  const anchor = useRef<HTMLButtonElement>(null);
  const [opened, setOpened] = useState<'keys' | 'pointer'>();
  const isOpen = opened !== undefined;
  const close = () => setOpened(undefined);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    setOpened('keys');
  };
  return (
    <>
      <button
        ref={anchor}
        type="button"
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        // Enter and Space are clicks as well, without a pointer that has moved.
        onClick={({ detail }) => (isOpen ? close() : setOpened(detail === 0 ? 'keys' : 'pointer'))}
        onKeyDown={onKeyDown}
        className={className}
      >
        {children}
      </button>
      <Suspense>{isOpen && menu({ anchor, label, isByKeys: opened === 'keys', onClose: close })}</Suspense>
    </>
  );
}
