import { useEffect, useState } from 'react';
import { Button } from '../Button.tsx';

interface CopyButtonProps {
  /** What is copied, or makes it. */
  readonly text: string;
  /** What it is: "Copy the URL". */
  readonly label: string;
  /** Beside a value the word is enough. */
  readonly isShort?: boolean;
}

const TOLD_MS = 1_500;

export function CopyButton({ text, label, isShort = false }: CopyButtonProps) {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), TOLD_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const words = isCopied ? 'Copied' : isShort ? 'Copy' : label;
  return (
    <Button
      kind={isShort ? 'plain' : 'quiet'}
      className="shrink-0"
      aria-label={isCopied ? 'Copied' : label}
      onClick={() => void copy(text).then(setIsCopied)}
    >
      {words}
    </Button>
  );
}

/** NOTE: `navigator.clipboard` is there on https and loopback only; a hub in a local network has neither. */
async function copy(text: string): Promise<boolean> {
  if (navigator.clipboard !== undefined) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // The browser was told not to: the old way needs no permission.
    }
  }
  const field = document.createElement('textarea');
  field.value = text;
  field.setAttribute('readonly', '');
  field.className = 'sr-only';
  document.body.append(field);
  field.select();
  const isDone = document.execCommand('copy');
  field.remove();
  return isDone;
}
