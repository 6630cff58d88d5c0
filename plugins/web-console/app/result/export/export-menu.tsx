/** Offers what is shown as a file of several formats, and for printing. */
import { type ReactNode, useState } from 'react';
import { Popover } from '../parts/popover.tsx';
import { RESULT_TEXTS } from '../texts.ts';
import type { Exported, Format } from './save.ts';

const TEXTS = RESULT_TEXTS.export;

interface ExportMenuProps extends Exported {
  readonly onPrint: () => void;
}

export function ExportMenu({ onPrint, ...exported }: ExportMenuProps): ReactNode {
  const [problem, setProblem] = useState('');

  async function saveAs(format: Format): Promise<void> {
    setProblem('');
    try {
      const { save } = await import('./save.ts');
      await save(format, exported);
    } catch {
      setProblem(TEXTS.failed);
    }
  }

  const items: readonly (readonly [label: string, choose: () => unknown])[] = [
    [TEXTS.csv, () => saveAs('csv')],
    [TEXTS.json, () => saveAs('json')],
    [TEXTS.markdown, () => saveAs('md')],
    ...(exported.chart === undefined
      ? []
      : ([
          [TEXTS.png, () => saveAs('png')],
          [TEXTS.svg, () => saveAs('svg')],
        ] as const)),
    [TEXTS.print, onPrint],
  ];
  return (
    <>
      <Popover kind="menu" label={TEXTS.title}>
        {(close) =>
          items.map(([label, choose]) => (
            <button
              key={label}
              type="button"
              role="menuitem"
              tabIndex={-1}
              onClick={() => {
                close();
                choose();
              }}
            >
              {label}
            </button>
          ))
        }
      </Popover>
      <span aria-live="polite">{problem}</span>
    </>
  );
}
