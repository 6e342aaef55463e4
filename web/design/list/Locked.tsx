interface LockedProps {
  /** What is not shown: "The secrets of this workspace". */
  readonly what: string;
  /** Of `useMay`. */
  readonly reason: string;
}

/** What a role may not even see is named, with the reason, instead of a list that looks empty. */
export function Locked({ what, reason }: LockedProps) {
  return (
    <div className="rounded border border-line border-dashed px-4 py-6">
      <p className="font-semibold">{what} are not shown to you</p>
      <p className="mt-1 max-w-prose text-soft">{reason}</p>
    </div>
  );
}
