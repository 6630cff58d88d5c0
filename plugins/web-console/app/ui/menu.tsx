/** Shows a menu button: a list of commands in the browser's own popover, which closes with Esc and a click elsewhere. */
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react';
import styles from './menu.module.css';

export interface MenuItem {
  readonly label: string;
  /** Where labels may be the same. */
  readonly id?: string;
  readonly onSelect: () => void;
}

export interface MenuProps {
  readonly label: string;
  /** What the button shows, where that is not its label. */
  readonly children?: ReactNode;
  readonly items: readonly MenuItem[];
}

const GAP = 4;

/** Below the button and inside the window. */
function place(menu: HTMLElement, button: HTMLElement): void {
  const { left, right, bottom, top } = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = menu;
  const { clientWidth, clientHeight } = document.documentElement;
  const x = left + width <= clientWidth ? left : right - width;
  const y = bottom + GAP + height <= clientHeight ? bottom + GAP : top - GAP - height;
  menu.style.left = `${Math.max(GAP, x)}px`;
  menu.style.top = `${Math.max(GAP, y)}px`;
}

/** The item that a key leads to, from the one at `index`. */
function nextIndex(key: string, index: number, count: number): number | undefined {
  if (key === 'ArrowDown') return (index + 1) % count;
  if (key === 'ArrowUp') return (index - 1 + count) % count;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : undefined;
}

export function Menu({ label, children, items }: MenuProps): ReactNode {
  const id = useId();
  const menu = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  const buttonsOf = () => [...(menu.current?.querySelectorAll('button') ?? [])];
  const onKeyDown = (event: KeyboardEvent) => {
    const buttons = buttonsOf();
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const next = nextIndex(event.key, at, buttons.length);
    if (event.key === 'Tab') menu.current?.hidePopover();
    if (next === undefined) return;
    event.preventDefault();
    buttons[next]?.focus();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        data-kind="quiet"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-label={children === undefined ? undefined : label}
        popoverTarget={id}
      >
        {children ?? label}
      </button>
      <div
        ref={menu}
        id={id}
        popover="auto"
        role="menu"
        aria-label={label}
        tabIndex={-1}
        className={styles.menu}
        onKeyDown={onKeyDown}
        onToggle={(event) => {
          const opens = event.newState === 'open';
          setIsOpen(opens);
          if (!opens || menu.current === null || button.current === null) return;
          place(menu.current, button.current);
          buttonsOf()[0]?.focus();
        }}
      >
        {items.map((item) => (
          <button
            key={item.id ?? item.label}
            type="button"
            role="menuitem"
            data-kind="quiet"
            tabIndex={-1}
            onClick={() => {
              menu.current?.hidePopover();
              item.onSelect();
            }}
          >
            {item.label}
          </button>
        ))}
      </div>
    </>
  );
}
