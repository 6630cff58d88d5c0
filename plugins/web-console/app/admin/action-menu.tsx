/** Shows the actions of one thing as a menu button that is named after it. */
import type { ReactNode } from 'react';
import { Menu } from '../ui/menu.tsx';
import type { Action } from './resource.ts';
import { ADMIN } from './texts.ts';

export interface ActionMenuProps {
  /** What the actions are done to. */
  readonly name: string;
  readonly actions: readonly Action[];
  readonly start: (action: Action) => void;
}

export function ActionMenu({ name, actions, start }: ActionMenuProps): ReactNode {
  return (
    <Menu
      isQuiet
      label={`${ADMIN.more}: ${name}`}
      shown={ADMIN.more}
      items={actions.map((action) => ({
        label: action.menuLabel ?? action.label,
        onSelect: () => start(action),
      }))}
    />
  );
}
