/** Shows a menu button: a list of commands. */
import type { ReactNode } from 'react';
import { Popover } from './popover.tsx';

export interface MenuItem {
  /** Of what the item is about, where labels may be equal. */
  readonly id?: string;
  readonly label: string;
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
        items.map((item) => (
          <button
            key={item.id ?? item.label}
            type="button"
            role="menuitem"
            tabIndex={-1}
            onClick={() => {
              close();
              item.onSelect();
            }}
          >
            {item.label}
          </button>
        ))
      }
    </Popover>
  );
}
