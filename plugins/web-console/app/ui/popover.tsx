/** Opens a small area below a button: a menu of things to do, or other controls. It closes by Escape and a click outside. */
import { type KeyboardEvent, type ReactNode, type ToggleEvent, useId, useRef, useState } from 'react';
import { nextIndex } from './next-index.ts';
import styles from './popover.module.css';
import { ShownText } from './shown-text.tsx';

const GAP = 4;
const ITEM = '[role^="menuitem"]';

interface PopoverProps {
  readonly label: string;
  readonly kind: 'menu' | 'dialog';
  /** What the button shows, where that is not its label. */
  readonly shown?: ReactNode;
  /** The button has no border until it is pointed at. */
  readonly isQuiet?: boolean;
  /** The name of the area where it is not that of the button. */
  readonly areaLabel?: string;
  /** Made while it is open only. */
  readonly children: (close: () => void) => ReactNode;
}

/** Below the button, inside the window, however far the page is scrolled. */
function place(area: HTMLElement, button: HTMLElement): void {
  const { left, bottom, right, top } = button.getBoundingClientRect();
  const { offsetWidth, offsetHeight } = area;
  const { clientWidth, clientHeight } = document.documentElement;
  const start = left + offsetWidth <= clientWidth ? left : right - offsetWidth;
  const below = bottom + GAP + offsetHeight <= clientHeight || top < offsetHeight;
  area.style.left = `${Math.max(GAP, Math.min(start, clientWidth - offsetWidth - GAP))}px`;
  area.style.top = `${below ? Math.min(bottom + GAP, Math.max(GAP, clientHeight - offsetHeight - GAP)) : top - GAP - offsetHeight}px`;
}

export function Popover({ label, kind, shown, isQuiet = false, areaLabel = label, children }: PopoverProps): ReactNode {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const area = useRef<HTMLDivElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  const close = () => {
    area.current?.hidePopover();
    button.current?.focus();
  };

  function onToggle(event: ToggleEvent): void {
    const opens = event.newState === 'open';
    setIsOpen(opens);
    if (!opens) return;
    // Its content is there after the next rendering.
    requestAnimationFrame(() => {
      if (area.current === null || button.current === null) return;
      place(area.current, button.current);
      area.current.querySelector<HTMLElement>(`${ITEM}, input, button`)?.focus();
    });
  }

  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    if (event.key === 'Escape') event.stopPropagation();
    if (kind === 'menu' && event.key === 'Tab') close();
    if (kind !== 'menu' || event.key === 'Tab') return;
    const items = [...event.currentTarget.querySelectorAll<HTMLElement>(ITEM)];
    const next = nextIndex(event.key, items.indexOf(document.activeElement as HTMLElement), items.length, 'vertical');
    if (next === undefined) return;
    event.preventDefault();
    items[next]?.focus();
  }

  return (
    <>
      <button
        ref={button}
        type="button"
        data-kind={isQuiet ? 'quiet' : undefined}
        aria-label={shown === undefined ? undefined : label}
        aria-haspopup={kind}
        aria-expanded={isOpen}
        aria-controls={id}
        popoverTarget={id}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' || isOpen) return;
          event.preventDefault();
          area.current?.showPopover();
        }}
      >
        {shown ?? <ShownText text={label} />}
      </button>
      {/* biome-ignore lint/a11y: its role is that of a menu or a dialog. */}
      <div
        ref={area}
        id={id}
        popover="auto"
        role={kind}
        aria-label={areaLabel}
        tabIndex={-1}
        className={styles.area}
        onToggle={onToggle}
        onKeyDown={onKeyDown}
      >
        {isOpen && children(close)}
      </div>
    </>
  );
}
