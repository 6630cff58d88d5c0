/** Declares what the routes of proposals take and answer. */
import { type Static, Type } from '../../kernel/index.ts';

const count = (description: string) => Type.Integer({ description });

export const LearnProposal = Type.Object(
  {
    id: Type.String(),
    kind: Type.String({ description: 'join, measure, synonym, wording or pattern.' }),
    entity: Type.String({ description: 'The entity that gets it; of a wording, the verified query.' }),
    source: Type.String(),
    file: Type.String(),
    summary: Type.String({ description: 'What it is, in one line.' }),
    seen: count('How often it was seen, where each person counts once a day.'),
    support: Type.Object({
      statements: count('Statements or questions that show it.'),
      people: count('Users; in a layer that several organizations share, organizations.'),
      days: count('Days on which it was shown.'),
    }),
    diff: Type.String({ description: 'What it changes in the file, as a unified diff.' }),
  },
  { title: 'LearnProposal' },
);
export type LearnProposal = Static<typeof LearnProposal>;

export const LearnProposals = Type.Object({ proposals: Type.Array(LearnProposal) });

// Any text: one that cannot be an id is not found, as one that is another organization's.
export const ProposalParams = Type.Object({ id: Type.String({ maxLength: 200 }) });

export const AppliedProposal = Type.Object({ file: Type.String() }, { title: 'AppliedProposal' });

const status = Type.String({
  description: 'passed; failed: another result than expected; refused: no answer was given.',
});
const evaluatedCase = { id: Type.String(), question: Type.String() };

export const ProposalEvaluation = Type.Object(
  {
    cases: count('Cases that there are.'),
    notAsked: count('Those beyond the bound of cases or of time.'),
    before: count('Those that pass with the layer as it is.'),
    after: count('Those that pass with the proposal.'),
    changed: Type.Array(
      Type.Object({
        ...evaluatedCase,
        before: status,
        after: status,
        reason: Type.Union([Type.String(), Type.Null()], { description: 'Why it does not pass with the proposal.' }),
      }),
      { description: 'Cases that end otherwise with the proposal.' },
    ),
    unjudged: Type.Array(Type.Object({ ...evaluatedCase, reason: Type.String() }), {
      description: 'Cases whose expected statement does not run, or that the model or the database failed.',
    }),
  },
  { title: 'ProposalEvaluation' },
);
export type ProposalEvaluation = Static<typeof ProposalEvaluation>;
