/** Switches between views by tabs, with the arrow keys, Home and End. */
import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react';
import { nextIndex } from '../../ui/next-index.ts';
import styles from './tabs.module.css';

interface TabsProps<Name extends string> {
  readonly label: string;
  readonly tabs: readonly { readonly name: Name; readonly label: string }[];
  readonly selected: Name;
  readonly onSelect: (name: Name) => void;
  /** Stands at the end of the line of tabs. */
  readonly beside?: ReactNode;
  /** The view that is selected. */
  readonly children: ReactNode;
}

export function Tabs<Name extends string>(props: TabsProps<Name>): ReactNode {
  const { label, tabs, selected, onSelect, beside, children } = props;
  const id = useId();
  const list = useRef<HTMLDivElement>(null);

  function onKeyDown(event: KeyboardEvent): void {
    const now = tabs.findIndex(({ name }) => name === selected);
    const at = nextIndex(event.key, now, tabs.length, 'horizontal');
    const tab = at === undefined ? undefined : tabs[at];
    if (at === undefined || tab === undefined) return;
    event.preventDefault();
    onSelect(tab.name);
    (list.current?.children[at] as HTMLElement | undefined)?.focus();
  }

  return (
    <div>
      <div className={styles.line}>
        <div role="tablist" aria-label={label} ref={list} className={styles.list} onKeyDown={onKeyDown}>
          {tabs.map((tab) => (
            <button
              key={tab.name}
              type="button"
              role="tab"
              id={`${id}-${tab.name}`}
              aria-selected={tab.name === selected}
              aria-controls={tab.name === selected ? `${id}-panel` : undefined}
              tabIndex={tab.name === selected ? 0 : -1}
              onClick={() => onSelect(tab.name)}
            >
              {tab.label}
            </button>
          ))}
        </div>
        {beside}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${selected}`} className={styles.panel}>
        {children}
      </div>
    </div>
  );
}
