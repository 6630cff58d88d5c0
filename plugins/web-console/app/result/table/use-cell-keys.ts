/** Moves between the cells of the table with the keys of a grid, and keeps the focus on the active one. */
import { type KeyboardEvent, type RefObject, useLayoutEffect, useRef } from 'react';
import type { CellRange } from './copied-cells.ts';

export interface CellPlace {
  readonly row: number;
  readonly column: number;
}

interface CellKeysInput {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly range: CellRange | undefined;
  readonly rowCount: number;
  readonly columnCount: number;
  readonly pageRows: number;
  readonly onMove: (range: CellRange) => void;
  readonly onOpen: (place: CellPlace) => void;
}

/** Where a key leads; `undefined` for other keys. Above the first row are the headers. */
export function cellAfter(
  key: string,
  hasControl: boolean,
  { row, column }: CellPlace,
  { rowCount, columnCount, pageRows }: Pick<CellKeysInput, 'rowCount' | 'columnCount' | 'pageRows'>,
): CellPlace | undefined {
  const last = { row: rowCount - 1, column: columnCount - 1 };
  const places: Readonly<Record<string, CellPlace>> = {
    ArrowDown: { row: hasControl ? last.row : Math.min(row + 1, last.row), column },
    ArrowUp: { row: hasControl ? 0 : row - 1, column },
    ArrowRight: { row, column: hasControl ? last.column : Math.min(column + 1, last.column) },
    ArrowLeft: { row, column: hasControl ? 0 : Math.max(column - 1, 0) },
    PageDown: { row: Math.min(row + pageRows, last.row), column },
    PageUp: { row: Math.max(row - pageRows, 0), column },
    Home: { row: hasControl ? 0 : row, column: 0 },
    End: { row: hasControl ? last.row : row, column: last.column },
  };
  return Object.hasOwn(places, key) ? places[key] : undefined;
}

export function useCellKeys(input: CellKeysInput) {
  const { scroller, range, rowCount, columnCount, onOpen } = input;
  /** Rows that did not change call what they were given earlier. */
  const latest = useRef(input);
  latest.current = input;
  /** The active cell has the focus, or shall have it as soon as it is there. */
  const hasFocus = useRef(false);
  const isMoving = useRef(false);

  const focusActive = () => {
    if (range === undefined) return;
    const { row, column } = range.to;
    const cell = scroller.current?.querySelector<HTMLElement>(`[data-place="${row} ${column}"]`);
    hasFocus.current = true;
    isMoving.current = cell === undefined || cell === null;
    (cell ?? scroller.current)?.focus({ preventScroll: true });
  };

  // A cell that scrolls out of sight is no element any more; the keys go on from the table itself.
  useLayoutEffect(() => {
    const { activeElement } = document;
    const isLost = activeElement === document.body || activeElement === null;
    const isWaiting = isLost || activeElement === scroller.current;
    if (isMoving.current || (hasFocus.current && isWaiting)) focusActive();
    else if (!isWaiting) hasFocus.current = activeElement instanceof HTMLElement && activeElement.matches('td');
  });

  const move = (to: CellPlace, isExtended: boolean) => {
    const { range: before, onMove } = latest.current;
    isMoving.current = true;
    onMove({ from: isExtended && before !== undefined ? before.from : to, to });
  };

  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    const target = event.target as HTMLElement;
    const place = target.dataset.place?.split(' ').map(Number);
    if (place === undefined && target !== scroller.current) return;
    const at = place === undefined ? range?.to : { row: place[0] as number, column: place[1] as number };
    if (at === undefined) return;
    const hasControl = event.ctrlKey || event.metaKey;
    if (event.key === 'Enter' || event.key === 'F2') {
      event.preventDefault();
      onOpen(at);
      return;
    }
    if (event.key === 'a' && hasControl) {
      event.preventDefault();
      isMoving.current = true;
      input.onMove({ from: { row: rowCount - 1, column: columnCount - 1 }, to: { row: 0, column: 0 } });
      return;
    }
    const next = event.altKey ? undefined : cellAfter(event.key, hasControl, at, input);
    if (next === undefined) return;
    event.preventDefault();
    if (next.row >= 0) move(next, event.shiftKey);
    else scroller.current?.querySelector<HTMLElement>(`th[aria-colindex="${at.column + 1}"] button`)?.focus();
  }

  return {
    onKeyDown,
    /** From a header into its column. */
    enter: (column: number) => rowCount > 0 && move({ row: 0, column }, false),
    select: (place: CellPlace, isExtended: boolean) => move(place, isExtended),
  };
}
