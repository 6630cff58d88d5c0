/** Shows a menu button: a list of commands, or of choices of which one holds. */
import type { ReactNode } from 'react';
import { Popover } from './popover.tsx';
import { ShownText } from './shown-text.tsx';

export interface MenuItem {
  /** Names what the item is about, where labels may be equal. */
  readonly id?: string;
  readonly label: string;
  /** Whether a choice holds. */
  readonly isChecked?: boolean;
  readonly onSelect: () => void;
}

export interface MenuProps {
  readonly label: string;
  /** What the button shows, where that is not its label. */
  readonly shown?: ReactNode;
  readonly isQuiet?: boolean;
  readonly items: readonly MenuItem[];
}

export function Menu({ items, ...button }: MenuProps): ReactNode {
  return (
    <Popover kind="menu" {...button}>
      {(close) =>
        items.map(({ id, label, isChecked, onSelect }) => (
          // biome-ignore lint/a11y/useAriaPropsSupportedByRole: only a choice has it.
          <button
            key={id ?? label}
            type="button"
            role={isChecked === undefined ? 'menuitem' : 'menuitemradio'}
            aria-checked={isChecked}
            tabIndex={-1}
            onClick={() => {
              close();
              onSelect();
            }}
          >
            <ShownText text={label} />
          </button>
        ))
      }
    </Popover>
  );
}
