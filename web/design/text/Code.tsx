import { type VisiblePiece, visiblePieces } from '@svc/core/text/visible-text';
import { createElement, Fragment, type ReactNode } from 'react';
import { classes } from '../classes.ts';
import { CopyButton } from './CopyButton.tsx';

/** Text from other people, in a line: invisible characters are shown by name, as on the approval page. */
export function Visible({ text }: { readonly text: string }) {
  return createElement(Fragment, undefined, ...visiblePieces(text).map(shownPiece));
}

function shownPiece({ kind, text }: VisiblePiece): ReactNode {
  if (kind === 'text') return text;
  return (
    <span title="Invisible character" className="mx-px rounded bg-ink px-0.5 text-paper">
      {text}
    </span>
  );
}

interface CodeProps {
  readonly text: string;
  readonly className?: string;
}

/** A value or a name within a sentence. */
export function Code({ text, className }: CodeProps) {
  return (
    <code className={classes('wrap-anywhere', className)}>
      <Visible text={text} />
    </code>
  );
}

interface CodeBlockProps {
  readonly text: string;
  /** The accessible name of the copy button: "Copy command". */
  readonly copyLabel: string;
}

/** A text to copy. Long lines wrap; nothing is cut off. */
export function CodeBlock({ text, copyLabel }: CodeBlockProps) {
  return (
    <div className="flex items-start gap-2 rounded border border-line bg-sunken py-1 pr-1 pl-3">
      <pre dir="ltr" className="min-w-0 grow py-1.5 wrap-anywhere whitespace-pre-wrap">
        {text}
      </pre>
      <CopyButton text={text} label={copyLabel} isShort />
    </div>
  );
}
