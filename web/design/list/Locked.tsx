interface LockedProps {
  /** "You can't view secrets". */
  readonly title: string;
  /** The reason from `useMay`. */
  readonly reason: string;
}

/** Shown in place of a list that the role cannot view, with the reason. */
export function Locked({ title, reason }: LockedProps) {
  return (
    <div className="rounded bg-raised px-4 py-6">
      <p className="font-semibold">{title}</p>
      <p className="mt-1 max-w-prose text-soft">{reason}</p>
    </div>
  );
}
