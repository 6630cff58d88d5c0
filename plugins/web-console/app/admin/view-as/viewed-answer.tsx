/** Shows what another reader gets: the answer, the rows, and what the server says about them. */
import { lazy, type ReactNode } from 'react';
import { Markdown } from '../../chat/markdown.tsx';
import { LazyPart } from '../../ui/lazy-part.tsx';
import styles from '../admin.module.css';
import { OPERATION_TEXTS } from '../operation-texts.ts';
import { State, Text } from '../parts.tsx';
import type { Viewed } from './view-as.tsx';

const Result = lazy(() => import('../../result/result.tsx').then(({ Result: view }) => ({ default: view })));

const T = OPERATION_TEXTS.viewAs;

export interface ViewedAnswerProps {
  readonly viewed: Viewed;
  readonly onClose: () => void;
}

export function ViewedAnswer({ viewed: { reader, asked, result }, onClose }: ViewedAnswerProps): ReactNode {
  const { answer, outcome, notes, choices = [], data } = result;
  return (
    <section className={styles.section} aria-label={T.gets(reader)}>
      <div className={styles.heading}>
        <h2>
          <Text>{T.gets(reader)}</Text>
        </h2>
        <button type="button" onClick={onClose}>
          {T.close}
        </button>
      </div>
      <p className={styles.said}>
        <Text>{asked}</Text>
      </p>
      {answer !== '' && <Markdown text={answer} />}
      {outcome !== 'answered' && (
        <p>
          <State isBad>{T.outcomes[outcome]}</State>
        </p>
      )}
      {choices.length > 0 && (
        <ul>
          {choices.map(({ label }) => (
            <li key={label}>
              <Text>{label}</Text>
            </li>
          ))}
        </ul>
      )}
      {notes.map(({ code, message }) => (
        <p key={code + message}>
          <Text>{message}</Text>
        </p>
      ))}
      <LazyPart>
        {data.map((table, at) => (
          <Result key={table.sql + String(at)} question={asked} table={table} isStored={false} isCurrent={false} />
        ))}
      </LazyPart>
    </section>
  );
}
