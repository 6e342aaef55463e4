/** A key or a key sequence. */
export function Kbd({ keys }: { readonly keys: string }) {
  return <kbd className="rounded border border-line bg-sunken px-1 text-xs text-soft">{keys}</kbd>;
}
