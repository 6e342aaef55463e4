import { Select as Base } from '@base-ui/react/select';
import { useId } from 'react';
import { classes } from '../classes.ts';
import { Check, ChevronDown } from '../icons.tsx';
import { useLandmark } from '../overlay/landmark.ts';
import { CONTROL } from './TextField.tsx';

export interface Option<Value extends string> {
  readonly value: Value;
  readonly label: string;
}

interface SelectProps<Value extends string> {
  readonly label: string;
  readonly options: readonly Option<Value>[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly isLabelHidden?: boolean;
  /** Why the control is disabled. */
  readonly why?: string | undefined;
}

/** A drop-down list for a few options. */
export function Select<Value extends string>(props: SelectProps<Value>) {
  const { label, options, value, onChange, isLabelHidden = false, why } = props;
  const id = useId();
  const { landmark, mark } = useLandmark();
  return (
    <div className="flex flex-col gap-1" title={why}>
      <span id={id} className={classes('text-sm font-semibold', isLabelHidden && 'sr-only')}>
        {label}
      </span>
      <Base.Root
        items={options as Option<Value>[]}
        value={value}
        onValueChange={(next) => next !== null && onChange(next)}
        disabled={why !== undefined}
      >
        <Base.Trigger
          ref={mark}
          aria-labelledby={id}
          className={classes(
            CONTROL,
            'flex cursor-pointer items-center justify-between gap-2 data-disabled:text-soft',
          )}
        >
          <Base.Value className="truncate" />
          <Base.Icon className="shrink-0 text-soft">
            <ChevronDown className="size-4" />
          </Base.Icon>
        </Base.Trigger>
        <Base.Portal container={landmark}>
          <Base.Positioner className="z-50" sideOffset={4} alignItemWithTrigger={false}>
            <Base.Popup className="max-h-80 min-w-(--anchor-width) overflow-y-auto rounded border border-line bg-raised py-1 shadow-float">
              {options.map((option) => (
                <Base.Item
                  key={option.value}
                  value={option.value}
                  className="flex min-h-8 cursor-pointer items-center gap-2 px-2 outline-none data-highlighted:bg-accent-wash pointer-coarse:min-h-11"
                >
                  <span className="w-4">
                    <Base.ItemIndicator>
                      <Check className="size-4" />
                    </Base.ItemIndicator>
                  </span>
                  <Base.ItemText>{option.label}</Base.ItemText>
                </Base.Item>
              ))}
            </Base.Popup>
          </Base.Positioner>
        </Base.Portal>
      </Base.Root>
    </div>
  );
}
