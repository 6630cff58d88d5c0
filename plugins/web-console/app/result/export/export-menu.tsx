/** Offers what is shown as a file of several formats, and for printing. */
import { type ReactNode, useState } from 'react';
import { messageOf } from '../../api/failure.ts';
import { Menu } from '../../ui/menu.tsx';
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
      await (await import('./save.ts')).save(format, exported);
    } catch (error) {
      setProblem(`${TEXTS.failed} ${messageOf(error)}`);
    }
  }

  const save = (format: Format) => ({ label: TEXTS[format], onSelect: () => void saveAs(format) });
  const pictures: readonly Format[] = exported.chart === undefined ? [] : ['png', 'svg'];
  const formats: readonly Format[] = ['csv', 'json', 'md', ...pictures];
  return (
    <>
      <Menu label={TEXTS.title} items={[...formats.map(save), { label: TEXTS.print, onSelect: onPrint }]} />
      <span aria-live="polite">{problem}</span>
    </>
  );
}
