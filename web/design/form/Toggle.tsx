import { Switch } from '@base-ui/react/switch';
import { useId } from 'react';

interface ToggleProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  readonly hint?: string;
  readonly isLabelHidden?: boolean;
  /** Shown instead of the label, which then names the switch: "Paused". */
  readonly shown?: string;
  /** Why the control is disabled. */
  readonly why?: string | undefined;
}

/** A switch that takes effect at once. */
export function Toggle({ label, isOn, onChange, hint, isLabelHidden = false, shown, why }: ToggleProps) {
  const id = useId();
  return (
    <div className="flex items-start gap-2" title={why}>
      <Switch.Root
        aria-labelledby={id}
        checked={isOn}
        onCheckedChange={onChange}
        disabled={why !== undefined}
        className="mt-px inline-flex h-5 w-9 shrink-0 cursor-pointer items-center rounded-full border border-edge bg-sunken p-px data-checked:border-accent data-checked:bg-accent data-disabled:cursor-not-allowed"
      >
        <Switch.Thumb className="size-4 rounded-full bg-edge transition-transform data-checked:translate-x-4 data-checked:bg-on-accent" />
      </Switch.Root>
      <span>
        <span id={id} className={isLabelHidden || shown !== undefined ? 'sr-only' : undefined}>
          {label}
        </span>
        {shown !== undefined && <span>{shown}</span>}
        {hint !== undefined && <span className="block text-sm text-soft">{hint}</span>}
      </span>
    </div>
  );
}
