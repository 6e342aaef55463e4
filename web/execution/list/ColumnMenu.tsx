import { Menu } from '@base-ui/react/menu';
import { Check } from '../../design/icons.tsx';
import type { OpenMenu } from '../../design/overlay/MenuButton.tsx';
import { MenuPopup } from '../../design/overlay/MenuPopup.tsx';
import { COLUMNS, type Column } from './stored-columns.ts';

interface ColumnMenuProps {
  readonly open: OpenMenu;
  readonly columns: readonly Column[];
  readonly onToggle: (column: Column) => void;
}

/** The columns of the list, each on or off. The menu stays open. */
export function ColumnMenu({ open, columns, onToggle }: ColumnMenuProps) {
  return (
    <MenuPopup {...open}>
      {(Object.keys(COLUMNS) as Column[]).map((column) => (
        <Menu.CheckboxItem
          key={column}
          checked={columns.includes(column)}
          onCheckedChange={() => onToggle(column)}
          closeOnClick={false}
          className="flex min-h-8 cursor-pointer items-center gap-2 px-3 outline-none data-highlighted:bg-accent-wash pointer-coarse:min-h-11"
        >
          <span className="w-4">
            <Menu.CheckboxItemIndicator>
              <Check className="size-4" />
            </Menu.CheckboxItemIndicator>
          </span>
          {COLUMNS[column].label}
        </Menu.CheckboxItem>
      ))}
    </MenuPopup>
  );
}
