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
