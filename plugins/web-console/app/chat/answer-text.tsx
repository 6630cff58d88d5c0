/** Shows the text of an answer; once it is complete, each number that stands in the rows is a button that marks its cell. */
import { type ReactNode, useCallback, useMemo } from 'react';
import type { ResultTable } from '../api/query-result.ts';
import { TEXTS } from '../texts.ts';
import styles from './answer.module.css';
import { type CellMark, FIGURE, FigureIndex, figureOf } from './figures.ts';
import { answerNodes, Markdown, TextView } from './markdown.tsx';

export interface AnswerTextProps {
  readonly text: string;
  readonly question: string;
  /** The rows that the answer is about, once it is complete. */
  readonly table: ResultTable | undefined;
  readonly onMark: (mark: CellMark) => void;
}

/** What the text may say without a cell: how many rows there are, and what was asked. */
function knownFigures(question: string, table: ResultTable): ReadonlySet<number> {
  const asked = `${question} ${table.sql ?? ''}`.match(/\d[\d,]*(?:\.\d+)?/g) ?? [];
  return new Set([table.rowCount, ...asked.map((text) => figureOf(text).value)]);
}

export function AnswerText({ text, question, table, onMark }: AnswerTextProps): ReactNode {
  const index = useMemo(() => table && new FigureIndex(table), [table]);
  const known = useMemo(() => table && knownFigures(question, table), [question, table]);
  const view = useCallback(
    (plain: string): ReactNode => {
      if (index === undefined || known === undefined) return answerNodes(plain);
      const shown: ReactNode[] = [];
      let end = 0;
      for (const { 0: figure, index: at } of plain.matchAll(FIGURE)) {
        const mark = index.find(figure);
        const isKnown = known.has(figureOf(figure).value);
        if (mark === undefined && isKnown) continue;
        shown.push(answerNodes(plain.slice(end, at)));
        end = at + figure.length;
        shown.push(
          mark === undefined ? (
            <span key={at} className={styles.unfounded} title={TEXTS.answer.unfounded}>
              {figure}
            </span>
          ) : (
            <button
              key={at}
              type="button"
              className={styles.figure}
              title={TEXTS.answer.mark(figure)}
              onClick={() => onMark({ ...mark })}
            >
              {figure}
            </button>
          ),
        );
      }
      return [...shown, answerNodes(plain.slice(end))];
    },
    [index, known, onMark],
  );
  return (
    <TextView value={view}>
      <Markdown text={text} />
    </TextView>
  );
}
