import { Menu as Base } from '@base-ui/react/menu';
import { type ReactNode, useCallback, useEffect } from 'react';
import { useLandmark } from './landmark.ts';
import type { OpenMenu } from './MenuButton.tsx';

interface MenuPopupProps extends OpenMenu {
  /** The edge of the button that the menu keeps to; default: `end`. */
  readonly align?: 'start' | 'end';
  readonly children: ReactNode;
}

/** The menu of a `<MenuButton>`, while it is open. */
export function MenuPopup({ anchor, label, isByKeys, onClose, align = 'end', children }: MenuPopupProps) {
  const { landmark, mark } = useLandmark();
  useEffect(() => mark(anchor.current), [anchor, mark]);
  const focusFirst = useCallback(
    (popup: HTMLElement | null) => {
      if (isByKeys && popup !== null) focusFirstItem(popup);
    },
    [isByKeys],
  );
  return (
    <Base.Root
      open
      onOpenChange={(open, { event }) => {
        // A press on the button closes the menu in `MenuButton`.
        const isOnButton = event.target instanceof Node && anchor.current?.contains(event.target) === true;
        if (!open && !isOnButton) onClose();
      }}
    >
      <Base.Portal container={landmark}>
        <Base.Positioner anchor={anchor} sideOffset={4} align={align} className="z-40">
          <Base.Popup
            ref={focusFirst}
            aria-label={label}
            finalFocus={anchor}
            className="min-w-48 rounded border border-line bg-raised py-1 shadow-float outline-none"
          >
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

/** Waits for the next frame: an element without a position takes no focus. */
function focusFirstItem(popup: HTMLElement): void {
  requestAnimationFrame(() => popup.querySelector<HTMLElement>('[role=menuitem]')?.focus());
}

interface MenuItemProps {
  readonly onClick: () => void;
  readonly children: ReactNode;
}

export function MenuItem({ onClick, children }: MenuItemProps) {
  return (
    <Base.Item
      onClick={onClick}
      className="flex min-h-8 cursor-pointer items-center gap-2 px-3 outline-none data-highlighted:bg-accent-wash pointer-coarse:min-h-11"
    >
      {children}
    </Base.Item>
  );
}

/** A heading above menu items. */
export function MenuHeading({ children }: { readonly children: ReactNode }) {
  return <div className="px-3 pt-2 pb-1 text-xs text-soft">{children}</div>;
}
