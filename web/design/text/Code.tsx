import { type VisiblePiece, visiblePieces } from '@svc/core/text/visible-text';
import { createElement, Fragment, type ReactNode } from 'react';
import { classes } from '../classes.ts';
import { CopyButton } from './CopyButton.tsx';

/** Text that others wrote, in a line: what does not show is named, as on the page of an approval. */
export function Visible({ text }: { readonly text: string }) {
  return createElement(Fragment, undefined, ...visiblePieces(text).map(shownPiece));
}

function shownPiece({ kind, text }: VisiblePiece): ReactNode {
  if (kind === 'text') return text;
  return (
    <span title="a character that does not show" className="mx-px rounded bg-ink px-0.5 text-paper">
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
  /** What it is, for the button that copies it: "Copy the command". */
  readonly copyLabel: string;
}

/** A command or a text to be copied, whole: long lines break, nothing is cut off. */
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
