/** Says why a result is empty, with the values that there are as buttons that ask again. */
import type { ReactNode } from 'react';
import type { ResultTable } from '../api/query-result.ts';
import { TEXTS } from '../texts.ts';
import { ShownText } from '../ui/shown-text.tsx';
import styles from './answer.module.css';
import { withValue } from './with-value.ts';

interface EmptyReasonProps {
  readonly explanation: NonNullable<ResultTable['explanation']>;
  readonly question: string;
  /** The text of the answer, which may say it already. */
  readonly answer: string;
  readonly isLast: boolean;
  readonly onAsk: (text: string) => void;
}

export function EmptyReason({ explanation, question, answer, isLast, onAsk }: EmptyReasonProps): ReactNode {
  const { text, nearValues = [] } = explanation;
  return (
    <>
      {!answer.includes(text) && (
        <p className={styles.note}>
          <ShownText text={text} />
        </p>
      )}
      {nearValues.map(({ column, value, values }) => (
        <fieldset key={column + value} className={styles.choices}>
          <legend>
            <ShownText text={TEXTS.answer.insteadOf(value)} />
          </legend>
          {values.map((near) => (
            <button key={near} type="button" disabled={!isLast} onClick={() => onAsk(withValue(question, value, near))}>
              <ShownText text={near} />
            </button>
          ))}
        </fieldset>
      ))}
    </>
  );
}
