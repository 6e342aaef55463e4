import { Checkbox as Base } from '@base-ui/react/checkbox';
import type { ReactNode } from 'react';
import { Check } from '../icons.tsx';

interface CheckboxProps {
  readonly children: ReactNode;
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
}

/** A checkbox of a form; the value counts when the form is submitted. */
export function Checkbox({ children, isChecked, onChange }: CheckboxProps) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: Base UI renders the control inside, with its hidden input.
    <label className="flex min-h-8 cursor-pointer items-center gap-2">
      <Base.Root
        checked={isChecked}
        onCheckedChange={onChange}
        className="inline-flex size-4 items-center justify-center rounded border border-edge bg-raised data-checked:border-accent data-checked:bg-accent data-checked:text-on-accent"
      >
        <Base.Indicator>
          <Check strokeWidth="3" className="size-3" />
        </Base.Indicator>
      </Base.Root>
      {children}
    </label>
  );
}
