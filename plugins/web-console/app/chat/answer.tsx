/** Shows one question with its answer: the steps, the text, the rows, and what can be asked next. */
import { lazy, memo, type ReactNode, useCallback, useMemo, useState } from 'react';
import { visibleText } from '../../../text-kit/index.ts';
import { call } from '../api/client.ts';
import { useHasArea } from '../api/queries.ts';
import type { ResultTable } from '../api/query-result.ts';
import { TEXTS } from '../texts.ts';
import { Alert } from '../ui/alert.tsx';
import { LazyPart } from '../ui/lazy-part.tsx';
import { ShownText } from '../ui/shown-text.tsx';
import styles from './answer.module.css';
import { AnswerActions } from './answer-actions.tsx';
import { AnswerText } from './answer-text.tsx';
import { EmptyReason } from './empty-reason.tsx';
import type { CellMark } from './figures.ts';
import { type ChatMessage, endOf, statementOf, stepsOf, suggestionsOf, textOf, verificationOf } from './message.ts';
import { readAnswer } from './read-as.ts';
import { ReadAsChips } from './read-as-chips.tsx';
import { Steps } from './steps.tsx';

const Result = lazy(() => import('../result/result.tsx').then(({ Result: view }) => ({ default: view })));

export interface AnswerProps {
  readonly question: ChatMessage;
  readonly answer: ChatMessage | undefined;
  readonly conversationId: string;
  readonly isRunning: boolean;
  readonly isLast: boolean;
  /** Why there is no answer is told already. */
  readonly hasFailed: boolean;
  /** Puts a text into the question box, with the part to change selected. */
  readonly onEdit: (text: string, selected?: string) => void;
  readonly onAsk: (text: string) => void;
  readonly onAskAgain: () => void;
  /** Reads the conversation again. */
  readonly onRefresh: () => void;
}

function ButtonList(props: { label: string; texts: readonly string[]; onChoose: (text: string) => void }): ReactNode {
  return (
    <div className={styles.next}>
      <h3>{props.label}</h3>
      <ul aria-label={props.label}>
        {props.texts.map((text) => (
          <li key={text}>
            <button type="button" onClick={() => props.onChoose(text)}>
              <ShownText text={text} />
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The rows again, as they are now. */
function useRunAgain(table: ResultTable | undefined) {
  const [rerun, setRerun] = useState<ResultTable>();
  const [error, setError] = useState<unknown>();
  const run = useCallback(() => {
    if (table?.sql === undefined) return;
    const { sql, connectionId } = table;
    setError(undefined);
    call<ResultTable>('/api/v1/sql', { method: 'POST', body: { sql, connectionId, fresh: true } }).then(
      setRerun,
      setError,
    );
  }, [table]);
  return { rerun, run, error, setError };
}

function AnswerView(props: AnswerProps): ReactNode {
  const { question, answer, conversationId, isRunning, isLast, hasFailed, onEdit, onAsk, onAskAgain, onRefresh } =
    props;
  const asked = textOf(question);
  const steps = useMemo(() => (answer === undefined ? [] : stepsOf(answer)), [answer]);
  const shown = steps.findLast(({ table }) => table !== undefined);
  const { rerun, run, error, setError } = useRunAgain(shown?.table);
  const table = rerun ?? shown?.table;
  const hasAudit = useHasArea('audit');
  const [mark, setMark] = useState<CellMark>();
  const { text, readAs } = readAnswer(answer === undefined ? '' : textOf(answer));
  const end = answer === undefined ? {} : endOf(answer);
  const stored = answer?.metadata?.stored;
  const isStored = stored !== undefined || answer?.metadata?.conversationId !== undefined;
  const isElsewhere = stored?.status === 'running' && !isRunning;
  const isOver = !isRunning && !isElsewhere && (answer !== undefined || !hasFailed);
  const choices = end.choices ?? [];
  const suggestions = answer === undefined ? [] : suggestionsOf(answer);
  const verified = answer && verificationOf(answer);
  const statement = rerun === undefined && answer && shown ? statementOf(answer, shown.id) : undefined;
  const about: Pick<ResultTable, 'explanation' | 'readings'> | undefined = rerun ?? statement?.about;
  return (
    <article aria-label={asked} className={styles.answer}>
      <h2 className={styles.question}>
        <ShownText text={asked} />
      </h2>
      <Steps steps={steps} isRunning={isRunning} />
      {text !== '' && (
        <AnswerText text={text} question={asked} table={isRunning ? undefined : table} onMark={setMark} />
      )}
      {isOver && end.outcome === undefined && (
        <p className={styles.muted}>{answer === undefined ? TEXTS.answer.notBegun : TEXTS.answer.brokeOff}</p>
      )}
      {isElsewhere && (
        <div className={styles.actions}>
          <p className={styles.muted}>{TEXTS.answer.elsewhere}</p>
          <button type="button" data-kind="quiet" onClick={onRefresh}>
            {TEXTS.answer.refresh}
          </button>
        </div>
      )}
      {table !== undefined && (
        <LazyPart>
          <Result
            question={asked}
            table={table}
            statement={statement}
            isStored={stored !== undefined && rerun === undefined}
            marked={mark}
            isCurrent={isLast}
            hasAudit={hasAudit}
          />
        </LazyPart>
      )}
      {!isRunning && about?.explanation !== undefined && (
        <EmptyReason explanation={about.explanation} question={asked} answer={text} isLast={isLast} onAsk={onAsk} />
      )}
      {!isRunning && about?.readings !== undefined && !text.includes(about.readings.text) && (
        <p className={styles.note}>
          <ShownText text={about.readings.text} />
        </p>
      )}
      {!isRunning && readAs.length > 0 && <ReadAsChips parts={readAs} isLast={isLast} onAsk={onAsk} onEdit={onEdit} />}
      {verified !== undefined && (
        <p className={styles.note} title={visibleText(verified.name)}>
          <ShownText text={TEXTS.answer.verified(verified.by, verified.at.slice(0, 10))} />
        </p>
      )}
      {!isRunning &&
        end.notes?.map(({ code, message }) => (
          <p key={code + message} className={styles.note}>
            <ShownText text={message} />
          </p>
        ))}
      {answer?.metadata?.pendingActions?.map(({ id, summary }) => (
        <p key={id} className={styles.note}>
          {TEXTS.answer.pending}: <ShownText text={summary} />
        </p>
      ))}
      {error !== undefined && <Alert error={error} onRetry={undefined} />}
      {choices.length > 0 && (
        <fieldset className={styles.choices}>
          <legend>{TEXTS.answer.choices}</legend>
          {choices.map(({ label, description }) => (
            <button
              key={label}
              type="button"
              disabled={!isLast}
              title={description && visibleText(description)}
              onClick={() => onAsk(label)}
            >
              <ShownText text={label} />
            </button>
          ))}
        </fieldset>
      )}
      {isOver && (
        <AnswerActions
          stored={isStored && answer !== undefined ? { conversationId, messageId: answer.id } : undefined}
          question={asked}
          statement={verified === undefined && table?.sql ? table : undefined}
          isExportable={end.notes?.some(({ code }) => code === 'export_available') ?? false}
          rating={stored?.rating}
          onEdit={() => onEdit(asked)}
          onAskAgain={isLast ? onAskAgain : undefined}
          onRunAgain={stored !== undefined && table?.sql ? run : undefined}
          onError={setError}
        />
      )}
      {!isRunning && isLast && suggestions.length > 0 && (
        <ButtonList label={TEXTS.answer.followUps} texts={suggestions} onChoose={onAsk} />
      )}
    </article>
  );
}

/** Made again only when its own message changed: of a long conversation, one answer grows. */
export const Answer = memo(AnswerView);
