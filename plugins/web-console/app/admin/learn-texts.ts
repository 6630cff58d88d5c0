/** Holds every text of the page of proposals, in one place for translation. */
import { counted } from '../counted.ts';

export const LEARN = {
  intro:
    'What several people asked, wrote and rated again and again, as changes of the semantic layer. Nothing is changed until somebody applies it.',
  kind: 'Kind',
  kindOf: {
    join: 'Join',
    measure: 'Measure',
    synonym: 'Other name',
    wording: 'Wording',
    pattern: 'Example',
  } as Readonly<Record<string, string>>,
  proposal: 'Proposal',
  people: 'People',
  days: 'Days',
  statements: 'Questions',
  file: 'File',
  evaluate: 'Evaluate',
  evaluateText: (summary: string) =>
    `The cases of your organization are asked twice: with the layer as it is, and with ${summary}. Nothing is changed. Each question counts against your budgets, as if you asked it; with a language model this may take minutes.`,
  evaluated: ({
    summary,
    judged,
    before,
    after,
    notAsked,
  }: Readonly<Record<'summary', string> & Record<'judged' | 'before' | 'after' | 'notAsked', number>>) =>
    `${summary}: ${before.toLocaleString()} of ${counted(judged, 'case', 'cases')} pass now, ${after.toLocaleString()} with the proposal.${
      notAsked > 0
        ? ` ${notAsked.toLocaleString()} more were not asked: there are too many, or there was no time left.`
        : ''
    }`,
  caseOf: { passed: 'passes', failed: 'fails', refused: 'not answered' } as Readonly<Record<string, string>>,
  unjudged: 'cannot be judged.',
  apply: 'Apply',
  applyText: (summary: string, file: string) =>
    `${file} gets: ${summary}. The next question uses it. Its versions are kept.`,
  applied: (file: string) => `${file} was changed.`,
  dismiss: 'Dismiss',
  dismissText: (summary: string) => `${summary} is proposed no more.`,
  empty: 'Nothing is proposed: nothing new was asked by several people on several days.',
};
