import { type KeyboardEvent, type ReactNode, type RefObject, Suspense, useRef, useState } from 'react';

/** An open menu: its button, and how it closes. */
export interface OpenMenu {
  readonly anchor: RefObject<HTMLButtonElement | null>;
  /** The accessible name of the button and the menu. */
  readonly label: string;
  /** The keyboard opened the menu: the first item gets the focus. */
  readonly isByKeys: boolean;
  readonly onClose: () => void;
}

interface MenuButtonProps {
  readonly label: string;
  readonly className: string;
  /** The content of the button. */
  readonly children: ReactNode;
  /** The menu, a `<MenuPopup>`, loaded when it first opens. */
  readonly menu: (open: OpenMenu) => ReactNode;
}

/** A button that opens a menu on click, Enter, Space or an arrow key. */
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
        // Enter and Space cause a click with `detail` 0.
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
