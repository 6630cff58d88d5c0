/** Shows what is proposed for the semantic layer from what people asked; a person applies or dismisses it. */
import type { ReactNode } from 'react';
import { ShownText } from '../../ui/shown-text.tsx';
import styles from '../admin.module.css';
import { LEARN as T } from '../learn-texts.ts';
import { Code, Text } from '../parts.tsx';
import type { Resource } from '../resource.ts';
import { ResourcePage } from '../resource-page.tsx';
import { ADMIN } from '../texts.ts';

const PATH = '/api/v1/admin/learn/proposals';

/** What an evaluation of one tells. */
interface Evaluation {
  readonly cases: number;
  readonly notAsked: number;
  readonly before: number;
  readonly after: number;
  readonly changed: readonly Readonly<Record<'id' | 'question' | 'before' | 'after', string>>[];
  readonly unjudged: readonly Readonly<Record<'id' | 'question' | 'reason', string>>[];
}

/** What is shown of one. The plugin's own type comes with code that needs the types of Node. */
interface Proposal {
  readonly id: string;
  readonly kind: string;
  readonly summary: string;
  readonly file: string;
  readonly support: Readonly<Record<'people' | 'days' | 'statements', number>>;
  readonly diff: string;
}

function Evaluated({ result, summary }: { readonly result: Evaluation; readonly summary: string }): ReactNode {
  const { cases, notAsked, changed, unjudged } = result;
  const judged = cases - notAsked - unjudged.length;
  const lines = [
    ...changed.map(({ id, question, before, after }) => ({
      id,
      text: `${question}: ${T.caseOf[before]} → ${T.caseOf[after]}`,
    })),
    ...unjudged.map(({ id, question, reason }) => ({ id, text: `${question}: ${T.unjudged} ${reason}` })),
  ];
  return (
    <>
      <ShownText text={T.evaluated({ ...result, summary, judged })} />
      {lines.map(({ id, text }) => (
        <span key={id} className={styles.line}>
          <ShownText text={text} />
        </span>
      ))}
    </>
  );
}

const PROPOSALS: Resource<Proposal> = {
  title: ADMIN.areas.learn,
  intro: T.intro,
  path: PATH,
  key: 'proposals',
  columns: [
    { label: T.kind, cell: ({ kind }) => T.kindOf[kind] ?? kind },
    { label: T.proposal, cell: ({ summary }) => <Text>{summary}</Text> },
    { label: T.people, isNumber: true, cell: ({ support }) => support.people.toLocaleString() },
    { label: T.days, isNumber: true, cell: ({ support }) => support.days.toLocaleString() },
    { label: T.statements, isNumber: true, cell: ({ support }) => support.statements.toLocaleString() },
    { label: T.file, cell: ({ file }) => <Text>{file}</Text> },
  ],
  nameOf: ({ summary }) => summary,
  idOf: ({ id }) => id,
  actionsOf: ({ id, summary, file }) => [
    {
      label: T.evaluate,
      text: T.evaluateText(summary),
      command: () => ({ path: `${PATH}/${encodeURIComponent(id)}/evaluation`, method: 'POST' }),
      done: (result) => <Evaluated result={result as Evaluation} summary={summary} />,
    },
    {
      label: T.apply,
      text: T.applyText(summary, file),
      command: () => ({ path: `${PATH}/${encodeURIComponent(id)}/apply`, method: 'POST' }),
      done: () => T.applied(file),
    },
    {
      label: T.dismiss,
      text: T.dismissText(summary),
      command: () => ({ path: `${PATH}/${encodeURIComponent(id)}/dismiss`, method: 'POST' }),
    },
  ],
  detail: ({ diff }) => <Code>{diff}</Code>,
  empty: T.empty,
};

export function LearnPage(): ReactNode {
  return <ResourcePage resource={PROPOSALS} />;
}
