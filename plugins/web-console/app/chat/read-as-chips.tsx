/** Shows how the question was read, part by part; each part is a button that puts something else in its place. */
import type { ReactNode } from 'react';
import { visibleText } from '../../../text-kit/index.ts';
import { TEXTS } from '../texts.ts';
import { Menu } from '../ui/menu.tsx';
import { ShownText } from '../ui/shown-text.tsx';
import styles from './answer.module.css';
import { alternativesTo, correctionTo } from './read-as.ts';

interface ReadAsChipsProps {
  readonly parts: readonly string[];
  /** A correction is about the last question. */
  readonly isLast: boolean;
  readonly onAsk: (text: string) => void;
  readonly onEdit: (text: string, selected: string) => void;
}

export function ReadAsChips({ parts, isLast, onAsk, onEdit }: ReadAsChipsProps): ReactNode {
  const chip = (part: string) => {
    const other = () => onEdit(correctionTo(part), part);
    const alternatives = isLast ? alternativesTo(part) : [];
    if (alternatives.length > 0) {
      const items = alternatives.map((label) => ({ label, onSelect: () => onAsk(correctionTo(label)) }));
      return <Menu key={part} label={part} items={[...items, { label: TEXTS.answer.readAsOther, onSelect: other }]} />;
    }
    return (
      <button
        key={part}
        type="button"
        disabled={!isLast}
        title={visibleText(TEXTS.answer.readAsHint(part))}
        onClick={other}
      >
        <ShownText text={part} />
      </button>
    );
  };
  return (
    <div role="note" aria-label={TEXTS.answer.readAs} className={styles.readAs}>
      <span>{TEXTS.answer.readAs}:</span>
      {parts.map(chip)}
    </div>
  );
}
