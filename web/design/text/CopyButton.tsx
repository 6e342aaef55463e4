import { useEffect, useState } from 'react';
import { Button } from '../Button.tsx';

interface CopyButtonProps {
  readonly text: string;
  /** "Copy URL". */
  readonly label: string;
  /** Shows only "Copy", for use beside the value. */
  readonly isShort?: boolean;
}

const FEEDBACK_MS = 1_500;

export function CopyButton({ text, label, isShort = false }: CopyButtonProps) {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), FEEDBACK_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const words = isCopied ? 'Copied' : isShort ? 'Copy' : label;
  return (
    <Button
      kind={isShort ? 'plain' : 'quiet'}
      className="shrink-0"
      aria-label={isCopied ? 'Copied' : label}
      onClick={() => void copyText(text).then(setIsCopied)}
    >
      {words}
    </Button>
  );
}

/** NOTE: `navigator.clipboard` exists on https and loopback only, which a hub in a local network may not have. */
export async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard !== undefined) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // The permission was denied; `execCommand` needs none.
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
