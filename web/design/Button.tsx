import type { ComponentProps, MouseEvent, ReactNode } from 'react';
import { classes } from './classes.ts';
import { Tip } from './overlay/Tip.tsx';

/** `plain` is for actions within a row, `danger` deletes something; a view has one `primary`. */
type Kind = 'primary' | 'quiet' | 'danger' | 'plain';

const STYLES: Readonly<Record<Kind, string>> = {
  primary: 'border border-accent bg-accent text-on-accent font-semibold hover:bg-accent-hover',
  quiet: 'border border-edge bg-raised text-ink hover:border-ink',
  danger: 'border border-bad bg-raised text-bad hover:bg-bad-wash',
  plain: 'border border-transparent text-accent hover:underline',
};

interface ButtonProps extends Omit<ComponentProps<'button'>, 'disabled' | 'ref'> {
  readonly kind?: Kind;
  /** Why the button is disabled. The button keeps its focus stop, so that everyone can read the reason. */
  readonly why?: string | undefined;
  /** The action is in progress. */
  readonly isPending?: boolean;
  /** The shortcut that presses the button in the current row (`shell/keys`). */
  readonly 'data-key'?: string;
  readonly children: ReactNode;
}

/** Its label is verb and object: "Run deploy", "Revoke key". */
export function Button({ why, ...props }: ButtonProps) {
  if (why === undefined) return <Pressed {...props} isOff={props.isPending ?? false} />;
  return <Tip text={why}>{(tip) => <Pressed {...props} {...tip} isOff />}</Tip>;
}

interface PressedProps extends Omit<ButtonProps, 'why'> {
  readonly isOff: boolean;
}

/** NOTE: the `disabled` attribute would remove the button, and its reason, from the keyboard's reach. */
function Pressed({ kind = 'quiet', isOff, isPending = false, onClick, className, ...props }: PressedProps) {
  return (
    <button
      type="button"
      {...props}
      onClick={isOff ? ignoreClick : onClick}
      aria-disabled={isOff || undefined}
      data-disabled={isOff ? '' : undefined}
      aria-busy={isPending || undefined}
      className={classes(
        'inline-flex min-h-8 cursor-pointer items-center justify-center gap-2 rounded px-3 py-1 text-base transition-colors',
        'data-disabled:cursor-not-allowed data-disabled:border-line data-disabled:bg-sunken data-disabled:text-soft',
        'data-disabled:no-underline pointer-coarse:min-h-11',
        STYLES[kind],
        className,
      )}
    />
  );
}

/** A disabled submit button must not submit its form. */
function ignoreClick(event: MouseEvent): void {
  event.preventDefault();
}
